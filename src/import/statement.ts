import type { Live } from '../live/read-live.ts';
import {
  type AttributePath,
  attributePaths,
  isAttributePath,
  type WorkspaceRelation,
  workspaceAttributes,
  workspaceRelations,
} from '../model/attributes.ts';
import type { WorkspaceResource } from '../model/state.ts';
import type { Value } from '../model/value.ts';
import type { ImportAliases } from './aliases.ts';
import type { ImportNotices } from './notices.ts';

/** A key of a workspace, dotted inside `vcs-repo` and `setting-overwrites`; `vcs-repo` itself if there is none. */
export type StatementPath = AttributePath | WorkspaceRelation | 'vcs-repo';

/** A live value in the form of the configuration language: aliases and names instead of ids. */
export interface Statement {
  readonly value: Value;
  /** The line is omitted unless a layer below it has another value. */
  readonly isDefault: boolean;
}

export interface StatedWorkspace {
  readonly name: string;
  readonly statements: ReadonlyMap<StatementPath, Statement>;
  /** Keys that cannot be declared for this workspace; it does not inherit them from layers either. */
  readonly unstatable: ReadonlySet<StatementPath>;
}

/** The order of keys in a file. */
export const statementPaths: readonly StatementPath[] = [
  'project',
  ...attributePaths.flatMap((path): StatementPath[] =>
    path === 'vcs-repo.branch' ? ['vcs-repo', path] : [path],
  ),
  ...workspaceRelations.filter((path) => path !== 'project'),
];

/**
 * The documented defaults that an import writes: none, those of the attributes with `alwaysImported`, or all. Other
 * values are always written.
 */
export type ImportDetail = 'minimal' | 'standard' | 'all';

/** Whether an import also declares the attribute if it has its documented default. */
export function writesDefault(path: StatementPath, detail: ImportDetail): boolean {
  if (detail !== 'standard') return detail === 'all';
  return isAttributePath(path) && workspaceAttributes[path].alwaysImported === true;
}

/** Shared by the statements about every workspace. */
export interface StateContext {
  readonly live: Live;
  readonly aliases: ImportAliases;
  readonly notices: ImportNotices;
  readonly detail: ImportDetail;
}

/** Collects the statements about one workspace. */
export interface StatementBuilder extends StateContext {
  readonly workspace: WorkspaceResource;
  /** Declares a value; the default is omitted from the file. */
  state(path: StatementPath, value: Value, isDefault?: boolean): void;
  /** Excludes a value that cannot be declared. Without a reason there is no notice. */
  leaveOut(path: StatementPath, reason?: string): void;
}

/** Why key/value tags are left out that a file cannot contain. */
export const undeclarableBindings = 'the service no longer accepts such keys or values';
