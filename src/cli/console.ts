import { AttuneError, DiagnosticsError } from '../model/attune-error.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { escapeControls } from '../report/escape-controls.ts';
import { colored, type Paint, plain } from '../report/paint.ts';
import { renderDiagnostics } from '../report/text/diagnostics-text.ts';
import type { SessionFlags } from './flags.ts';
import type { Io } from './io.ts';
import { internalDiagnostic, stackOf } from './run-errors.ts';
import type { Sink } from './sink.ts';

/** What a command prints with: results to stdout, everything else to stderr. */
export interface Console {
  readonly paint: Paint;
  result(text: string): void;
  /** Prints warnings, notes and errors that are not part of the result. */
  diagnostics(diagnostics: readonly Diagnostic[], path?: (file: string) => string): void;
  /** Prints a sentence to stderr, except with `--quiet`. */
  inform(text: string): void;
}

export function createConsole(io: Io, flags: Pick<SessionFlags, 'color' | 'quiet'>): Console {
  const wantsColour = (sink: Sink) => flags.color && !io.env.NO_COLOR && sink.isTerminal;
  return {
    paint: wantsColour(io.stdout) ? colored : plain,
    result: (text) => io.stdout.write(text),
    diagnostics: (diagnostics, path) => {
      if (diagnostics.length === 0) return;
      const options = { color: wantsColour(io.stderr), ...(path && { path }) };
      io.stderr.write(`${renderDiagnostics(diagnostics, options).trimEnd()}\n`);
    },
    inform: (text) => {
      if (!flags.quiet) io.stderr.write(`${escapeControls(text)}\n`);
    },
  };
}

/** An error as diagnostics. With `--verbose` the stack of an unknown one goes to stderr. */
export function errorDiagnostics(error: unknown, { io, flags }: ErrorContext): readonly Diagnostic[] {
  if (error instanceof DiagnosticsError) return error.diagnostics;
  if (!(error instanceof AttuneError)) {
    if (flags.verbose) io.stderr.write(stackOf(error));
    return [internalDiagnostic(error, io.run)];
  }
  const { code, message, hint } = error;
  return [{ severity: 'error', code, message, ...(hint !== undefined && { hint }) }];
}

interface ErrorContext {
  readonly io: Pick<Io, 'stderr' | 'run'>;
  readonly flags: Pick<SessionFlags, 'verbose'>;
}
