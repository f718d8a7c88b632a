/** How grave a diagnostic is, from the gravest. */
export const severities = ['error', 'warning', 'note'] as const;
/** How grave a diagnostic is; an error ends the run. */
export type Severity = (typeof severities)[number];

/**
 * Something to tell the user: a mistake in a file, a risk, a limit that a plan passes.
 * Every code stands in docs/diagnostics.md.
 */
export interface Diagnostic {
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
  /** The address of the resource it is about. */
  readonly address?: string;
  readonly location?: SourceLocation;
  /** The line of the file that the location points at, for the caret. */
  readonly sourceLine?: string;
  /** What to do: the nearest key, the value to write, the flag that overrides. */
  readonly hint?: string;
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}

/** Where something stands in a file. Lines and columns count from 1; `file` is relative to the root file's folder. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The path of the construct that stands there, in a program. */
  readonly construct?: string;
}
