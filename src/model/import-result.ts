import type { AliasKind } from './alias-kind.ts';
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

/** The other organization that the files of an import are written for. */
export interface CopyReport {
  readonly organization: string;
  /** Objects that the files use and the target lacks, with their names there. */
  readonly lacking: readonly {
    readonly kind: AliasKind | 'workspaces';
    /** Of a workspace its name. */
    readonly alias: string;
    readonly name: string;
    /** The name in the source, or the id. */
    readonly from: string;
  }[];
  /** The lines of a map for these names. */
  readonly skeleton?: string;
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
  /** Only for a copy. */
  readonly copy?: CopyReport;
  readonly diagnostics: readonly Diagnostic[];
  /** The command that plans the files. */
  readonly planCommand: string;
}
