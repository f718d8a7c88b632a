import type { Diagnostic, SourceLocation } from './diagnostic.ts';
import type { Value } from './value.ts';

/** One difference that files declare now. */
export interface AcceptedField {
  /** The path of the field; empty for a whole declaration. */
  readonly path: string;
  /** The declared value. */
  readonly before: Value;
  /** The live value. */
  readonly after: Value;
  /** The live entries that a list gains and loses. */
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
  /** The layer that keeps its value for other workspaces. */
  readonly overrides?: { readonly layer: string; readonly location: SourceLocation };
}

/** An accepted difference of a resource. */
export interface AcceptedValue extends AcceptedField {
  readonly address: string;
  /** Where it is declared after the edits; absent if no line declares it. */
  readonly location?: SourceLocation;
}

/** An exception that is written for a difference. */
export interface AcceptedException {
  readonly address: string;
  readonly field: string;
  /** The live value, as a file has it. */
  readonly value: Value;
  readonly until: string;
  readonly reason: string;
  readonly location?: SourceLocation;
}

/** A file that changes. */
export interface EditedFile {
  /** Relative to the folder of the root file. */
  readonly file: string;
  /** The former text; absent for a new file. */
  readonly before?: string;
  readonly after: string;
}

/** The result of accepting live values. */
export interface AcceptResult {
  readonly organization: string;
  readonly address: string;
  /** The absolute path of the root file's folder. */
  readonly folder: string;
  /** The accepted differences. */
  readonly fields: readonly AcceptedValue[];
  /** The addresses of the workspaces that are declared now and were not. */
  readonly declared: readonly string[];
  /** The exceptions that were written instead of live values; only with `until`. */
  readonly exceptions?: readonly AcceptedException[];
  readonly files: readonly EditedFile[];
  /** Whether the files were not written. */
  readonly isDryRun: boolean;
  /** Differences that cannot be accepted are errors with the code `not-acceptable`. */
  readonly diagnostics: readonly Diagnostic[];
}
