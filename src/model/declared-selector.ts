import { isIdOf } from './alias-kind.ts';
import type { Configuration } from './configuration.ts';
import type { Dialect } from './dialect.ts';
import { type BindingRule, isBindingForm, type ListRule, type TagBindings } from './list-rule.ts';
import { matchesAddress, type Selectable, type Selector, type Texts } from './selector.ts';
import {
  grantAddress,
  type ProjectResource,
  projectAddress,
  resourcesOf,
  type State,
  type WorkspaceResource,
  workspaceAddress,
} from './state.ts';
import { isRecord, type Value, type Values } from './value.ts';

export type DeclaredMatch = 'yes' | 'no' | 'live';

interface DeclaredContext {
  readonly projects: readonly ProjectResource[];
  /** The letter case of a tag counts only in the dialect `iac`. @default unknown, in which it does not count */
  readonly dialect?: Dialect | undefined;
  /** Whether names, tags and key/value tags are compared without letter case, as guards compare them. @default false */
  readonly foldsCase?: boolean;
  /** Whether undeclared values count as none, so that the files alone decide. @default false */
  readonly ignoresLive?: boolean;
  /** The same text for each reference to one project. @default each reference as it is */
  readonly sameProject?: (resolved: string) => string;
}

/** Whether a workspace matches a selector by its declared values. */
export function matchesDeclared(
  { tag, project, name, except, tagged }: Selector,
  workspace: Selectable,
  { projects, dialect, foldsCase = false, ignoresLive = false, sameProject = (id) => id }: DeclaredContext,
): DeclaredMatch {
  const { attributes } = workspace;
  const spelling = (folds: boolean) => (text: string) => (folds ? text.toLowerCase() : text);
  const fold = spelling(foldsCase);
  const foldTag = spelling(foldsCase || dialect !== 'iac');
  const matches = (patterns: Texts, spelled: (text: string) => string = (text) => text) =>
    [patterns].flat().some((pattern) => matchesAddress(spelled(pattern), spelled(workspace.name)));
  const own = typeof attributes.project === 'string' ? sameProject(attributes.project) : undefined;
  const parent = projects.find(({ id }) => id && sameProject(id) === own);
  const undeclared = ignoresLive ? 'absent' : 'live';
  const found = [
    name === undefined || matches(name, fold) ? 'yes' : 'no',
    except !== undefined && matches(except) ? 'no' : 'yes',
    ...(project === undefined ? [] : [inProject([project].flat().map(sameProject), own)]),
    ...[tag ?? []].flat().map((one) => hasTag(foldTag(one), attributes.tags, foldTag)),
    ...Object.entries(tagged ?? {}).map((wanted) =>
      hasBinding(wanted, attributes, { parent, fold, undeclared }),
    ),
  ];
  if (found.includes('no')) return 'no';
  if (found.includes('live')) return ignoresLive ? 'no' : 'live';
  return 'yes';
}

/** Whether a project is one of those of a selector. Only the service knows whether an id and a name are the same project. */
export function inProject(projects: readonly string[], own: string | undefined): DeclaredMatch {
  if (own === undefined) return 'live';
  if (projects.includes(own)) return 'yes';
  return projects.some((one) => isIdOf('projects', one) !== isIdOf('projects', own)) ? 'live' : 'no';
}

function hasTag(wanted: string, declared: Value | undefined, fold: (tag: string) => string): DeclaredMatch {
  if (declared === undefined || declared === null) return 'live';
  const rule: ListRule = Array.isArray(declared) ? { exactly: declared } : (declared as unknown as ListRule);
  const has = (tags: readonly string[] = []) => tags.some((tag) => fold(tag) === wanted);
  if ('exactly' in rule) return has(rule.exactly) && !has(rule.except) ? 'yes' : 'no';
  if (has(rule.remove)) return 'no';
  return has(rule.add) ? 'yes' : 'live';
}

function hasBinding(
  wanted: readonly [string, string | null],
  { 'tag-bindings': own, 'inherited-tag-bindings': handedDown }: Values,
  { parent, ...spelling }: BindingContext & { readonly parent: ProjectResource | undefined },
): DeclaredMatch {
  const found = bindingIn(own, wanted, spelling);
  if (found !== 'absent') return found;
  const inherited = bindingIn(handedDown ?? parent?.attributes['tag-bindings'], wanted, spelling);
  return inherited === 'absent' ? 'no' : inherited;
}

interface BindingContext {
  readonly fold: (text: string) => string;
  readonly undeclared: 'live' | 'absent';
}

function bindingIn(
  declared: unknown,
  [key, value]: readonly [string, string | null],
  { fold, undeclared }: BindingContext,
): DeclaredMatch | 'absent' {
  if (!isRecord(declared)) return undeclared;
  const rule = isBindingForm(declared)
    ? (declared as unknown as BindingRule)
    : { exactly: declared as TagBindings };
  const bindings = 'exactly' in rule ? rule.exactly : rule.add;
  const same = Object.entries(bindings).find(([one]) => fold(one) === fold(key));
  if (same) return (same[1] && fold(same[1])) === (value && fold(value)) ? 'yes' : 'no';
  return 'exactly' in rule || rule.remove.includes(key) ? 'absent' : undeclared;
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
    matchesDeclared(selector, workspace, { projects, dialect: service?.dialect, ignoresLive: true }) ===
    'yes';
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
