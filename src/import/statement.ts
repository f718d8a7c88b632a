import type { AttributePath } from '../model/attributes.ts';
import { attributePaths } from '../model/attributes.ts';
import type { Value } from '../model/value.ts';

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

/** What a file can say about a live value, as a file writes it: aliases and names in the place of ids. */
export interface Statement {
  readonly value: Value;
  /** It goes without saying: unless a layer below says otherwise, the line is left out. */
  readonly isDefault: boolean;
}

export interface StatedWorkspace {
  readonly name: string;
  readonly statements: ReadonlyMap<StatementPath, Statement>;
  /** What no file can say of this workspace; so no layer under it may either. */
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
