import { AttuneError } from '../model/attune-error.ts';
import type { signalCodes } from './interrupts.ts';

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

export function stackOf(error: unknown): string {
  const stack = error instanceof Error ? error.stack : undefined;
  return `${stack ?? String(error)}\n`;
}
