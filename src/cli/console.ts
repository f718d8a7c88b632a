import type { Diagnostic } from '../model/diagnostic.ts';
import { escapeControls } from '../report/escape-controls.ts';
import { colored, type Paint, plain } from '../report/paint.ts';
import { renderDiagnostics } from '../report/text/diagnostics-text.ts';
import type { Notices } from '../run/context.ts';
import type { SessionFlags } from './flags.ts';
import type { Io } from './io.ts';
import { stackOf } from './run-errors.ts';
import type { Sink } from './sink.ts';

/** What a command prints with: results to stdout, everything else to stderr. */
export interface Console extends Notices {
  readonly paint: Paint;
  result(text: string): void;
  /** Prints warnings, notes and errors that are not part of the result. */
  diagnostics(diagnostics: readonly Diagnostic[], path?: (file: string) => string): void;
  /** Prints a sentence to stderr, except with `--quiet`. */
  inform(text: string): void;
  /** With `--verbose`, prints the stack to stderr. */
  unknownError(error: unknown): void;
}

export function createConsole(io: Io, flags: Pick<SessionFlags, 'color' | 'quiet' | 'verbose'>): Console {
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
    unknownError: (error) => {
      if (flags.verbose) io.stderr.write(stackOf(error));
    },
  };
}
