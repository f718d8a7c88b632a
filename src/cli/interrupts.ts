import { AttuneError } from '../model/attune-error.ts';

/**
 * The exit codes of a run that a signal stopped, as shells count them. Windows has no SIGTERM and sends SIGBREAK for Ctrl-Break, which means
 * the same as Ctrl-C; other systems never send it.
 */
export const signalCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGBREAK: 130 } as const;

export interface Interrupts {
  readonly stop: AbortSignal;
  /** The exit code of the signal, after one. */
  exitCode(): number | undefined;
  release(): void;
}

/** Signals this close together are one: npm forwards a Ctrl-C that the whole process group already has. */
const oneSignal = 1000;

/** The process, as far as signals are concerned. */
export interface SignalSource {
  on(signal: string, handler: () => void): void;
  off(signal: string, handler: () => void): void;
  /** Ends the process. */
  exit(code: number): void;
  /** Milliseconds on a clock that is never set back. */
  now(): number;
}

const thisProcess: SignalSource = {
  on: (signal, handler) => process.on(signal, handler),
  off: (signal, handler) => process.off(signal, handler),
  exit: (code) => process.exit(code),
  now: () => performance.now(),
};

export interface InterruptOptions {
  /** Called at SIGHUP, which then does not interrupt the run. */
  readonly onHangup?: () => void;
  /** Prints the statement of what was written, before another signal ends the process; else it is printed to stderr. */
  readonly onForcedEnd?: (statement: string) => void;
}

/**
 * The first signal lets running calls finish; another one, a second or more later, ends the process at once.
 *
 * @param onSecond Called before the process ends.
 */
export function catchInterrupts(
  onSecond: () => void = () => {},
  source: SignalSource = thisProcess,
  { onHangup }: InterruptOptions = {},
): Interrupts {
  const controller = new AbortController();
  let first: { readonly code: number; readonly at: number } | undefined;
  const handlers = Object.entries(signalCodes).map(([signal, code]) => {
    const interrupt = () => {
      if (first === undefined) {
        first = { code, at: source.now() };
        controller.abort();
      } else if (source.now() - first.at >= oneSignal) {
        onSecond();
        source.exit(code);
      }
    };
    const handler = signal === 'SIGHUP' && onHangup ? onHangup : interrupt;
    source.on(signal, handler);
    return () => source.off(signal, handler);
  });
  return {
    stop: controller.signal,
    exitCode: () => first?.code,
    release: () => {
      for (const release of handlers) release();
    },
  };
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
