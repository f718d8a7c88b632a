import type { SourceLocation } from './location.ts';
import type { Value, Values } from './value.ts';

/** The two kinds of resource. */
export type ResourceKind = 'workspace' | 'team-access';

/**
 * One workspace or one grant, desired or live.
 *
 * `attributes` holds the managed values of a desired resource, and all known values of a live one, under the neutral
 * names with dots for nesting (`vcs-repo.branch`, `workspace-access.runs`). A missing key is unmanaged (desired) or
 * not told by the service (live); `null` is "cleared" or "has none".
 *
 * Beside the attribute table a workspace has these keys:
 * - `vcs-repo`: `null` where it has no repository;
 * - `project`, `ssh-key`: an id;
 * - `tags`, `remote-state-consumers`: live, a list of names or of ids; desired, a {@link ListRule};
 * - `lock`: `{locked, reason?}`; live also `by`, who holds it;
 * - `data-retention`: `null`, `{delete-older-than-days: n}` or `{dont-delete: true}`; live, where only the id of a
 *   policy is known so far, `data-retention-policy` has that;
 * - `inherits-project-auto-destroy`: live, `true` where the schedule that it shows is its project's.
 *
 * A grant has `project` and `team` (ids), `access`, and the paths of the permission table.
 */
export interface Resource {
  readonly kind: ResourceKind;
  readonly address: string;
  /** The workspace's name, or `<project>/<team>` as the file writes them (live: ids). */
  readonly name: string;
  /** The service's id; live resources only. */
  readonly id?: string;
  readonly attributes: Values;
  /**
   * Sets of a live workspace as the service lists them, where that is another way than in `attributes`. Nothing here
   * looks at their order; Terraform does.
   */
  readonly listed?: Readonly<Record<string, readonly string[]>>;
  readonly location?: SourceLocation;
  /** What a file says about the resource itself rather than about its values. */
  readonly declared?: Declared;
}

/** What a file says about a resource itself rather than about its values. */
export interface Declared {
  readonly renamedFrom?: string;
  readonly protect?: boolean;
  /** A tombstone or a revoked grant: the resource shall not exist. */
  readonly absent?: DeleteMode;
  /** A tombstone that is locked by whoever buries it: it is unlocked first. */
  readonly unlocks?: true;
  /** Where single attributes stand in the file, for errors that only the reads can find. */
  readonly locations?: Readonly<Record<string, SourceLocation>>;
}

/** `safe` deletes only a workspace that manages no resources; `force` does not ask. */
export type DeleteMode = 'safe' | 'force';

/** Resources by address. */
export interface State {
  readonly organization: string;
  readonly resources: ReadonlyMap<string, Resource>;
}

/** A declared list: exactly these, or at least these and none of those. */
export type ListRule<Item extends Value = string> =
  | { readonly exactly: readonly Item[] }
  | { readonly add: readonly Item[]; readonly remove: readonly Item[] };

/** An entry of a declared consumer list: a workspace's name, its id, or a selector judged on the state after the plan. */
export type ConsumerRef =
  | string
  | { readonly tag: string }
  | { readonly project: string }
  | { readonly name: string };

export function workspaceAddress(name: string): string {
  return `workspace.${name}`;
}

export function grantAddress(project: string, team: string): string {
  return `team-access.${project}/${team}`;
}

/** Ids and names share their characters: what starts like an id is one, where no workspace has it as its name. */
export function isWorkspaceId(text: string): boolean {
  return /^ws-[A-Za-z0-9]+$/.test(text);
}

/** The service's own ids have this length. Nobody calls a workspace so, and a look for one would cost a request each. */
export function isUnmistakableId(text: string): boolean {
  return /^ws-[A-Za-z0-9]{16}$/.test(text);
}
