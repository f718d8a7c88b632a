import type { Diagnostic } from './diagnostic.ts';
import type { Dialect } from './dialect.ts';

/** A file of an import. */
export interface ImportedFile {
  /** Relative to the working folder. */
  readonly file: string;
  /** `unchanged` if it contained the same bytes. */
  readonly outcome: 'created' | 'overwritten' | 'extended' | 'unchanged';
  /** Number of workspaces that the import has written into it. */
  readonly workspaces: number;
  readonly grants: number;
}

/** The result of an import. */
export interface ImportResult {
  readonly organization: string;
  readonly address: string;
  readonly dialect: Dialect;
  readonly files: readonly ImportedFile[];
  /** Number of workspaces that are not in the files, for reasons in the diagnostics. */
  readonly omittedWorkspaces: number;
  /** The scope that the import wrote: aliases or ids of projects, tags, patterns of names. */
  readonly scope?: Partial<Record<'projects' | 'tags' | 'names', readonly string[]>>;
  readonly diagnostics: readonly Diagnostic[];
  /** The command that plans the files. */
  readonly planCommand: string;
}
