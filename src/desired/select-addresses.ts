import type { Selector } from '../model/selector.ts';
import { resourcesOf, type State, type WorkspaceResource, workspaceAddress } from '../model/state.ts';
import type { Configuration } from './configuration.ts';
import { matchesDeclared } from './declared-selector.ts';

/** What a selector on the command line is resolved with. A configuration without files has resources only. */
export type SelectedFrom = { readonly desired: State } & Partial<
  Pick<Configuration, 'aliases' | 'lookUps' | 'known' | 'grantProjects'>
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
  return { ...others, ...(tagged && { tagged: Object.fromEntries(tagged.map(bindingOf)) }) };
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
  const { desired, aliases, grantProjects } = from;
  const { project, ...others } = written;
  const ids = project === undefined ? undefined : [project].flat().flatMap((one) => projectIds(one, from));
  const selector = ids ? { ...others, project: ids } : written;
  const projects = resourcesOf(desired.resources.values(), 'project');
  const isSelected = (workspace: WorkspaceResource) =>
    matchesDeclared(selector, workspace, { projects, ignoresLive: true }) === 'yes';
  // A name also selects workspaces that no file declares.
  const { name, ...rest } = written;
  if (name !== undefined && Object.keys(rest).length === 0) return [name].flat().map(workspaceAddress);
  const workspaces = resourcesOf(desired.resources.values(), 'workspace').filter(isSelected);
  // Only a selector by projects alone is also about the projects themselves and their team access.
  const wholes = ids && Object.keys(others).length === 0 ? ids : [];
  return [
    ...workspaces.map(({ address }) => address),
    ...[...(aliases?.projects ?? [])].flatMap(([alias, id]) =>
      wholes.includes(id) && desired.resources.has(`project.${alias}`) ? `project.${alias}` : [],
    ),
    ...wholes.flatMap((id) => {
      const key = grantProjects?.get(id);
      return key === undefined ? [] : `team-access.${key}/*`;
    }),
  ];
}

/** A project as the command line names it: by alias, name or id. */
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
