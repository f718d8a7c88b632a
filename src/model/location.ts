/** Where something stands in a file. Lines and columns count from 1; `file` is relative to the root file's folder. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The path of the construct that stands there, in a program. */
  readonly construct?: string;
}
