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
  /**
   * Calls the handler when the shell in which npm started the process has ended. npm sends SIGTERM to that shell, which does not forward it.
   *
   * @returns a function that stops the observation
   */
  onOrphaned(handler: () => void): () => void;
  /** Ends the process. */
  exit(code: number): void;
  /** Milliseconds on a clock that is never set back. */
  now(): number;
}

const thisProcess: SignalSource = {
  on: (signal, handler) => process.on(signal, handler),
  onOrphaned: (handler) => {
    if (process.env.npm_command === undefined || process.platform === 'win32') return () => {};
    const parent = process.ppid;
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      handler();
    }, oneSignal).unref();
    return () => clearInterval(timer);
  },
  off: (signal, handler) => process.off(signal, handler),
  exit: (code) => process.exit(code),
  now: () => process.uptime() * 1000,
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
  onSecond: () => void,
  source: SignalSource = thisProcess,
  { onHangup }: InterruptOptions = {},
): Interrupts {
  const controller = new AbortController();
  let first: { readonly code: number; readonly at: number } | undefined;
  const interrupt = (code: number) => {
    if (first === undefined) {
      first = { code, at: source.now() };
      controller.abort();
    } else if (source.now() - first.at >= oneSignal) {
      onSecond();
      source.exit(code);
    }
  };
  const handlers = Object.entries(signalCodes).map(([signal, code]) => {
    const handler = signal === 'SIGHUP' && onHangup ? onHangup : () => interrupt(code);
    source.on(signal, handler);
    return () => source.off(signal, handler);
  });
  handlers.push(source.onOrphaned(() => first ?? interrupt(signalCodes.SIGTERM)));
  return {
    stop: controller.signal,
    exitCode: () => first?.code,
    release: () => {
      for (const release of handlers) release();
    },
  };
}

/** A run ended before it had anything to report, with its own exit code: by a signal, or at a confirmation. */
export class EndedError extends AttuneError {
  override readonly name = 'EndedError';
  readonly exitCode: number;

  constructor(message: string, { code, exitCode }: { readonly code: string; readonly exitCode: number }) {
    super(message, { code });
    this.exitCode = exitCode;
  }
}

export function endedBySignal(exitCode: number): EndedError {
  return new EndedError('the run was stopped by a signal', { code: 'interrupted', exitCode });
}
