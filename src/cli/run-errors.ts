import { AttuneError } from '../model/attune-error.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { ReportEntry } from '../report/report.ts';
import type { signalCodes } from './interrupts.ts';
import { issueTracker, version } from './manifest.ts';
import type { ResultSink } from './sink.ts';

/** A run ends before it has a result. The reasons have locations in files. */
export class RefusedError extends AttuneError {
  override readonly name = 'RefusedError';
  override readonly code = 'invalid';
  readonly entries: readonly ReportEntry[];

  constructor(entries: readonly ReportEntry[]) {
    super(entries.flatMap(({ diagnostics }) => diagnostics.map(({ message }) => message)).join('\n'));
    this.entries = entries;
  }
}

/** A signal stopped the run before it had anything to report. */
export class InterruptedError extends AttuneError {
  override readonly name = 'InterruptedError';
  override readonly code = 'interrupted';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('the run was stopped by a signal');
    this.exitCode = exitCode;
  }
}

/** A confirmation ended without an answer: with Ctrl-C, which ends a run as a signal does, or with Ctrl-D. */
export class UnansweredError extends AttuneError {
  override readonly name = 'UnansweredError';
  override readonly code = 'not-confirmed';
  readonly exitCode: 1 | typeof signalCodes.SIGINT;

  constructor(exitCode: UnansweredError['exitCode']) {
    super('the confirmation was interrupted; no changes were made');
    this.exitCode = exitCode;
  }
}

/** Stdout cannot be written, so the result is lost. */
export class OutputError extends AttuneError {
  override readonly name = 'OutputError';
  override readonly code = 'output-not-written';

  constructor(cause: Error) {
    super(`stdout cannot be written: ${cause.message}`, {
      cause,
      hint: 'free disk space or redirect stdout, then run again',
    });
  }
}

/** @throws {OutputError} if stdout has lost text. */
export async function requireStdout(stdout: ResultSink): Promise<void> {
  const failure = await stdout.failure();
  if (failure) throw new OutputError(failure);
}

/** An error that Attune does not know: a defect of Attune, or of the machine that it runs on. */
export function internalDiagnostic(
  error: unknown,
  { command = 'attune' }: { readonly command?: string },
): Diagnostic {
  const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    severity: 'error',
    code: 'internal',
    message: `${command} failed in Attune ${version()}: ${why}`,
    hint: `report it at ${issueTracker()} with this message and the stack trace that --verbose prints`,
  };
}

export function stackOf(error: unknown): string {
  const stack = error instanceof Error ? error.stack : undefined;
  return `${stack ?? String(error)}\n`;
}
