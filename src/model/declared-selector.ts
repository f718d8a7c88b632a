import type { Configuration } from './configuration.ts';
import type { Dialect } from './dialect.ts';
import {
  applyBindingRule,
  applyListRule,
  asBindings,
  asListRule,
  type BindingRule,
  isBindingForm,
  mapListRule,
  type TagBindings,
} from './list-rule.ts';
import { mapSelectorProjects, matchesSelector, type Selectable, type Selector } from './selector.ts';
import {
  grantAddress,
  type ProjectResource,
  projectAddress,
  resourcesOf,
  type State,
  type WorkspaceResource,
  workspaceAddress,
} from './state.ts';
import { listTexts, type Value } from './value.ts';

interface DeclaredContext {
  readonly projects: readonly ProjectResource[];
  /** The letter case of a tag counts only in the dialect `iac`. @default unknown, in which it does not count */
  readonly dialect?: Dialect | undefined;
  /** The same text for each reference to one project. @default each reference as it is */
  readonly sameProject?: (resolved: string) => string;
}

/** Whether a workspace matches a selector by its declared values: undeclared ones count as none. */
export function matchesDeclared(
  selector: Selector,
  { name, attributes }: Selectable,
  { projects, dialect = 'terraform', sameProject = (id) => id }: DeclaredContext,
): boolean {
  const { project, tags = [], 'tag-bindings': own } = attributes;
  const resolved = typeof project === 'string' ? sameProject(project) : null;
  const parent = projects.find(({ id }) => id && sameProject(id) === resolved);
  const inherited = attributes['inherited-tag-bindings'] ?? parent?.attributes['tag-bindings'];
  const fold = (items: readonly string[]) =>
    dialect === 'iac' ? items : items.map((tag) => tag.toLowerCase());
  const declared = {
    project: resolved,
    tags: applyListRule(mapListRule(asListRule<string>(tags) ?? { exactly: listTexts(tags) }, fold), []),
    'tag-bindings': declaredBindings(own),
    'inherited-tag-bindings': declaredBindings(inherited),
  };
  const wanted = mapSelectorProjects(selector, sameProject);
  return matchesSelector(wanted, { name, attributes: declared }, dialect);
}

function declaredBindings(written: Value | undefined): TagBindings {
  const bindings = asBindings(written) ?? {};
  return isBindingForm(bindings) ? applyBindingRule(bindings as unknown as BindingRule, {}) : bindings;
}

export type SelectedFrom = { readonly desired: State } & Partial<
  Pick<Configuration, 'aliases' | 'lookUps' | 'known' | 'grantProjects' | 'service'>
>;

const keys = ['tag', 'project', 'name', 'except', 'tagged'] as const;
const keyed = new RegExp(`^(${keys.join('|')}):`);
const nextKey = new RegExp(`,(?=(?:${keys.join('|')}):)`);

/** A selector as it is written on the command line, such as `tag:canary,project:payments`; undefined for an address. */
export function selectorIn(written: string): Selector | undefined {
  if (!keyed.test(written)) return undefined;
  const lists: Partial<Record<(typeof keys)[number], string[]>> = {};
  for (const part of written.split(nextKey)) {
    const colon = part.indexOf(':');
    const key = part.slice(0, colon) as (typeof keys)[number];
    lists[key] = [...(lists[key] ?? []), part.slice(colon + 1)];
  }
  const { tagged, ...others } = lists;
  return tagged ? { ...others, tagged: Object.fromEntries(tagged.map(bindingOf)) } : others;
}

function bindingOf(written: string): [string, string | null] {
  const at = written.indexOf('=');
  return at < 0 ? [written, null] : [written.slice(0, at), written.slice(at + 1)];
}

/**
 * The patterns of `--only` for one configuration: each selector as the addresses that it selects by declared values. One that
 * selects nothing is kept: it matches no address.
 */
export function addressPatterns(only: readonly string[], from: SelectedFrom): readonly string[] {
  return only.flatMap((written) => {
    const selector = selectorIn(written);
    if (selector === undefined) return written;
    const addresses = selectedBy(selector, from);
    return addresses.length > 0 ? addresses : written;
  });
}

function selectedBy(written: Selector, from: SelectedFrom): readonly string[] {
  const { desired, aliases, grantProjects, service } = from;
  const { project, ...others } = written;
  const ids = project === undefined ? undefined : [project].flat().flatMap((one) => projectIds(one, from));
  const selector = ids ? { ...others, project: ids } : written;
  const projects = resourcesOf(desired.resources.values(), 'project');
  const isSelected = (workspace: WorkspaceResource) =>
    matchesDeclared(selector, workspace, { projects, dialect: service?.dialect });
  // A name also selects workspaces that no file declares.
  const { name, ...rest } = written;
  if (name !== undefined && Object.keys(rest).length === 0) return [name].flat().map(workspaceAddress);
  const workspaces = resourcesOf(desired.resources.values(), 'workspace').filter(isSelected);
  // Only a selector by projects alone is also about the projects themselves and their team access.
  const wholes = ids && Object.keys(others).length === 0 ? ids : [];
  return [
    ...workspaces.map(({ address }) => address),
    ...[...(aliases?.projects ?? [])].flatMap(([alias, id]) =>
      wholes.includes(id) && desired.resources.has(projectAddress(alias)) ? projectAddress(alias) : [],
    ),
    ...wholes.flatMap((id) => {
      const key = grantProjects?.get(id);
      return key === undefined ? [] : grantAddress(key, '*');
    }),
  ];
}

function projectIds(
  written: string,
  { desired, aliases, lookUps = [], known }: SelectedFrom,
): readonly string[] {
  const alias = aliases?.projects.get(written);
  if (alias !== undefined) return [alias];
  const names = [...(known?.get('projects') ?? [])].flatMap(([id, name]) => (name === written ? id : []));
  const open = lookUps.flatMap(({ kind, name, placeholder }) =>
    kind === 'projects' && name === written ? placeholder : [],
  );
  const managed = resourcesOf(desired.resources.values(), 'project').flatMap(({ id, attributes }) =>
    attributes.name === written && id !== undefined ? id : [],
  );
  return [written, ...names, ...open, ...managed];
}
