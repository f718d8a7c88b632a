import type { Diagnostic, Severity, SourceLocation } from '../model/diagnostic.ts';
import { escapeControls, escapeTexts } from './escape-controls.ts';

/** Turns a file, relative to the root file's folder, into the path that a report shows. */
export type PathOf = (file: string) => string;

export interface DiagnosticView {
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
  /** The path of the construct that it is about, in a program. */
  readonly construct?: string | undefined;
  /** The address of the resource that it is about. */
  readonly address?: string;
  /** The id of the policy that it is about. */
  readonly policy?: string;
  readonly detail?: readonly string[] | undefined;
  readonly hint?: string | undefined;
  readonly place?: SourceLocation | undefined;
  /** The line of the file at `place`, as it is. */
  readonly sourceLine?: string | undefined;
}

export function diagnosticView(diagnostic: Diagnostic, path: PathOf): DiagnosticView {
  const { location, sourceLine, ...texts } = diagnostic;
  const construct = location?.construct;
  return {
    ...escapeTexts({ ...texts, construct }),
    place: location && placeOf(location, path),
    sourceLine,
  };
}

/** A location with its file as it is printed. */
export function placeOf({ file, line, column }: SourceLocation, path: PathOf): SourceLocation {
  return { file: escapeControls(path(file)), line, column };
}
