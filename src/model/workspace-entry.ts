import type { SourceLocation } from './diagnostic.ts';
import type { Value, Values } from './value.ts';

/** A live workspace as `attune workspace list` and `show` print it; also its JSON. */
export interface WorkspaceEntry {
  readonly name: string;
  readonly id: string;
  readonly project: NamedThing | null;
  readonly tags: readonly string[];
  /** The key/value tags in effect; absent if the service did not send them. */
  readonly tagBindings?: readonly TagBindingEntry[];
  readonly lock: { readonly locked: boolean; readonly reason?: string; readonly by?: LockHolder };
  /** Number of resources that its newest state manages, if the service returns it. */
  readonly resources?: number;
  readonly sshKey: NamedThing | null;
  /** Every attribute that can be declared, under the neutral names. */
  readonly settings: Values;
  /** All other values that the service returns, under the service's names. */
  readonly facts: Values;
  /** The permissions of the token, in the service's spelling without `can-`. */
  readonly permissions: readonly string[];
  /** Where it is declared. */
  readonly declared?: DeclarationPlace;
  /** The workspaces that may read its state: all of the organization, all of its project, or these. Read by `show` only. */
  readonly consumers?: 'all' | 'project' | readonly NamedThing[];
  /** Its own data retention; `null` if there is none. Read by `show` only. */
  readonly dataRetention?: Value;
}

/** A key/value tag that applies to a workspace. */
export interface TagBindingEntry {
  readonly key: string;
  readonly value: string | null;
  /** Whether it is inherited from the workspace's project. */
  readonly inherited: boolean;
}

/** An object with an id, and possibly a name on the service and an alias in the configuration. */
export interface NamedThing {
  readonly id: string;
  readonly name?: string;
  readonly alias?: string;
}

export interface DeclarationPlace extends SourceLocation {
  readonly protect: boolean;
}

/** The holder of a workspace's lock: a user, a team or a run. */
export interface LockHolder {
  readonly type: 'user' | 'team' | 'run';
  readonly id: string;
  /** A run has none; `include=locked_by` returns the names of users and teams. */
  readonly name?: string;
}
