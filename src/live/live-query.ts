import type { Dialect } from '../model/dialect.ts';

/** What has to be known of the live service to compare it; {@link readLive} finds the fewest requests for it. */
export interface LiveQuery {
  readonly organization: string;
  /** Taken from the first workspace document where it is not given. */
  readonly dialect?: Dialect;
  /** The workspaces to read, by name. One that does not exist is no error. */
  readonly names: readonly string[];
  /** Every workspace of the organization is needed: a selector looks at all of them. */
  readonly whole: boolean;
  /** Every live workspace of this scope is needed: it is pruned, or reported on. */
  readonly scope?: LiveScope;
  /** Names of workspaces whose consumer lists are compared. */
  readonly consumersOf: ReadonlySet<string>;
  /** Names of workspaces whose data retention is compared. */
  readonly retentionOf: ReadonlySet<string>;
  /** Ids of the projects whose grants are compared. */
  readonly projects: readonly string[];
}

/** Any of the projects (ids), all of the tags, any of the names (with `*`). */
export interface LiveScope {
  readonly projects?: readonly string[];
  readonly tags?: readonly string[];
  readonly names?: readonly string[];
}
