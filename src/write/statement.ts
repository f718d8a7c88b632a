import type { Live } from '../live/read-live.ts';
import {
  type AttributePath,
  attributePaths,
  isAttributePath,
  modeFlag,
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

/** With the documented defaults that an import writes, so that it manages them: those that matter, or all. */
export function withManagedDefaults(workspace: StatedWorkspace, isFull: boolean): StatedWorkspace {
  const isManaged = (path: StatementPath, value: Value) =>
    isFull ||
    (isAttributePath(path) && workspaceAttributes[path].alwaysImported === true) ||
    // An inherited execution mode is written by its flag.
    (path === modeFlag && value === false);
  const statements = [...workspace.statements].map(
    ([path, { value, isDefault }]): [StatementPath, Statement] => [
      path,
      { value, isDefault: isDefault && !isManaged(path, value) },
    ],
  );
  return { ...workspace, statements: new Map(statements) };
}

/** Shared by the statements about every workspace. */
export interface StateContext {
  readonly live: Live;
  readonly aliases: ImportAliases;
  readonly notices: ImportNotices;
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
