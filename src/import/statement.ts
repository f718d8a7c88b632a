import type { Live } from '../live/read-live.ts';
import {
  type AttributePath,
  attributePaths,
  isAttributePath,
  workspaceAttributes,
} from '../model/attributes.ts';
import type { WorkspaceResource } from '../model/state.ts';
import type { Value } from '../model/value.ts';
import type { ImportAliases } from './aliases.ts';
import type { Notices } from './notices.ts';

/** A key of a workspace, dotted inside `vcs-repo` and `setting-overwrites`; `vcs-repo` itself where there is none. */
export type StatementPath =
  | AttributePath
  | 'project'
  | 'vcs-repo'
  | 'tags'
  | 'remote-state-consumers'
  | 'ssh-key'
  | 'lock'
  | 'data-retention';

/** What a file can state about a live value, as a file writes it: aliases and names in the place of ids. */
export interface Statement {
  readonly value: Value;
  /** The line is left out unless a layer below it has another value. */
  readonly isDefault: boolean;
}

export interface StatedWorkspace {
  readonly name: string;
  readonly statements: ReadonlyMap<StatementPath, Statement>;
  /** What no file can state about this workspace; so no layer under it may either. */
  readonly unstatable: ReadonlySet<StatementPath>;
}

/** The order of keys in a file. */
export const statementPaths: readonly StatementPath[] = [
  'project',
  ...attributePaths.flatMap((path): StatementPath[] =>
    path === 'vcs-repo.branch' ? ['vcs-repo', path] : [path],
  ),
  'tags',
  'remote-state-consumers',
  'ssh-key',
  'lock',
  'data-retention',
];

/**
 * Which documented defaults an import writes: none, those of the attributes with `alwaysImported`, or all. Other values
 * are always written.
 */
export type ImportDetail = 'minimal' | 'standard' | 'all';

/** Whether an import manages the attribute also if it has its documented default. */
export function writesDefault(path: StatementPath, detail: ImportDetail): boolean {
  if (detail !== 'standard') return detail === 'all';
  return isAttributePath(path) && workspaceAttributes[path].alwaysImported === true;
}

/** What the statements about every workspace depend on. */
export interface StateContext {
  readonly live: Live;
  readonly aliases: ImportAliases;
  readonly notices: Notices;
  readonly detail: ImportDetail;
}

/** What is being put together for one workspace. */
export interface StatementBuilder extends StateContext {
  readonly workspace: WorkspaceResource;
  /** States a value; one that is the default is left out of the file. */
  state(path: StatementPath, value: Value, isDefault?: boolean): void;
  /** No file can state it. Without a reason it is left out without a notice. */
  leaveOut(path: StatementPath, reason?: string): void;
}
