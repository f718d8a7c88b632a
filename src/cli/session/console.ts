import { AttuneError } from '../../model/attune-error.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { DiagnosticsError } from '../../model/diagnostics-error.ts';
import { escapeControls } from '../../report/escape-controls.ts';
import { coloured, type Paint, plain } from '../../report/paint.ts';
import { renderDiagnostics } from '../../report/text/diagnostics-text.ts';
import type { CommonFlags } from '../flags.ts';
import type { Io, Sink } from '../io.ts';

/** What a command prints with: results to stdout, everything else to stderr. */
export interface Console {
  readonly paint: Paint;
  result(text: string): void;
  /** Warnings, notes and errors beside the result. */
  diagnostics(diagnostics: readonly Diagnostic[], path?: (file: string) => string): void;
  /** A sentence for people; not with `--quiet`. */
  say(text: string): void;
}

export function createConsole(io: Io, flags: Pick<CommonFlags, 'color' | 'quiet'>): Console {
  const wantsColour = (sink: Sink) => flags.color && !io.env.NO_COLOR && sink.isTerminal;
  return {
    paint: wantsColour(io.stdout) ? coloured : plain,
    result: (text) => io.stdout.write(text),
    diagnostics: (diagnostics, path) => {
      if (diagnostics.length === 0) return;
      const options = { color: wantsColour(io.stderr), ...(path && { path }) };
      io.stderr.write(`${renderDiagnostics(diagnostics, options).trimEnd()}\n`);
    },
    say: (text) => {
      if (!flags.quiet) io.stderr.write(`${escapeControls(text)}\n`);
    },
  };
}

/** A known error as diagnostics. Anything else is a bug and is thrown on, with its stack. */
export function errorDiagnostics(error: unknown): readonly Diagnostic[] {
  if (error instanceof DiagnosticsError) return error.diagnostics;
  if (!(error instanceof AttuneError)) throw error;
  const { code, message, hint } = error;
  return [{ severity: 'error', code, message, ...(hint !== undefined && { hint }) }];
}
