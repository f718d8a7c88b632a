import type { LiveScope } from '../live/live-query.ts';
import { type ResourceKind, resourceKinds } from '../model/state.ts';
import { matchesAddress } from '../model/wildcard.ts';

/** Which part of an organization is imported; a part that is not given matches all. */
export interface Selection extends LiveScope {
  /** Globs of addresses, with aliases where a project or team has one. */
  readonly only?: readonly string[];
  /** Names of workspaces that are declared already and that nothing is read of. */
  readonly known?: ReadonlySet<string>;
  /** The scope of the files that an import adds to: what is outside of it is left to others. */
  readonly scope?: LiveScope;
}

/** Whether an address is among those that `only` lets through. */
export function isChosen({ only = [] }: Selection, address: string): boolean {
  return only.length === 0 || only.some((pattern) => matchesAddress(pattern, address));
}

/** Whether any address of a kind can be among them, by the start of the patterns. */
export function canChoose({ only = [] }: Selection, kind: ResourceKind): boolean {
  const others = resourceKinds.filter((other) => other !== kind);
  return (
    only.length === 0 || only.some((pattern) => !others.some((other) => pattern.startsWith(`${other}.`)))
  );
}

/** Team access belongs to projects: whoever picks single workspaces does not ask for it. */
export function takesTeamAccess(selection: Selection): boolean {
  return !selection.tags && !selection.names && canChoose(selection, 'team-access');
}

/** The service's own filter knows `*` only, and one of all workspaces is none. */
function isServiceFilter(pattern: string): boolean {
  return pattern !== '*' && !pattern.includes('?');
}

/**
 * What the service's own filters can be asked for. `--only` counts where nothing but workspaces is asked for, and nothing
 * else says which.
 */
export function scopeOf({ projects, tags, names, only = [], scope }: Selection): LiveScope | undefined {
  const prefix = 'workspace.';
  const chosen =
    only.length > 0 && only.every((pattern) => pattern.startsWith(prefix))
      ? only.map((pattern) => pattern.slice(prefix.length)).filter(isServiceFilter)
      : [];
  const wanted = names ?? (chosen.length === only.length && chosen.length > 0 ? chosen : undefined);
  if (!projects && !tags && !wanted) return scope;
  return { ...(projects && { projects }), ...(tags && { tags }), ...(wanted && { names: wanted }) };
}
