import { fstatSync, writeFileSync } from 'node:fs';
import { AttuneError } from '../model/diagnostic.ts';
import { attempt } from '../model/value.ts';
import { type RunIo, runCommand, surroundings } from '../run/context.ts';

/** Everything outside the process that a run uses. Tests replace it. */
export interface Io extends RunIo {
  readonly stdout: ResultSink;
  readonly stderr: Sink;
  readonly ask: (question: string) => Promise<string | undefined>;
  /** From this call on, an interrupt lets running calls finish; before, it ends the process. */
  readonly catchInterrupts: (options?: InterruptOptions) => Interrupts;
  readonly runCommand: typeof runCommand;
}

export function processIo(): Io & { readonly flush: () => Promise<void> } {
  const stdout = processSink(process.stdout);
  const stderr = processSink(process.stderr);
  const own = surroundings();
  return {
    ...own,
    stdout,
    stderr,
    ask,
    catchInterrupts: (options) =>
      catchInterrupts(() => stderr.write(own.run.describeWrites?.('figures') ?? ''), undefined, options),
    runCommand,
    // The streams of pipes are asynchronous on some systems.
    flush: async () => {
      await Promise.all([stdout.failure(), stderr.failure()]);
    },
  };
}

async function ask(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const { createInterface } = await import('node:readline/promises');
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  // The promise of a question does not end with Ctrl-C or Ctrl-D.
  let exitCode: 1 | 130 = 1;
  reader.once('SIGINT', () => {
    exitCode = signalCodes.SIGINT;
    reader.close();
  });
  const left = new Promise<undefined>((resolve) => reader.once('close', () => resolve(undefined)));
  try {
    const answer = await Promise.race([reader.question(question).catch(() => undefined), left]);
    if (answer !== undefined) return answer;
    process.stderr.write('\n');
    // Ctrl-C ends a run as a signal does.
    throw new EndedError('the confirmation was interrupted; no changes were made', {
      code: 'not-confirmed',
      exitCode,
    });
  } finally {
    reader.close();
  }
}

/** Takes text. A sink never throws: after the first failure everything that follows is dropped. */
export interface Sink {
  write(text: string): void;
  readonly isTerminal: boolean;
  readonly columns?: number | undefined;
}

/** The sink of a result, which must not get lost unnoticed. */
interface ResultSink extends Sink {
  /**
   * Resolves when all text is handed over: with the reason if some could not be written. A reader that went away
   * (`attune plan | head`) is not a reason.
   */
  failure(): Promise<Error | undefined>;
  isUsed(): boolean;
}

function processSink(stream: NodeJS.WriteStream & { readonly fd: number }): ResultSink {
  const isTerminal = stream.isTTY === true;
  let isUsed = false;
  let lost: NodeJS.ErrnoException | undefined;
  let last: Promise<void> = Promise.resolve();
  const lose = (error: NodeJS.ErrnoException) => {
    lost ??= error;
  };
  // Without a listener, an error of the stream ends the process.
  stream.on('error', lose);
  const writeToFile = (text: string) => {
    try {
      writeFileSync(stream.fd, text);
    } catch (error) {
      lose(error as NodeJS.ErrnoException);
    }
  };
  const writeToStream = (text: string) => {
    last = new Promise((resolve) => {
      stream.write(text, (error) => {
        if (error) lose(error);
        resolve();
      });
    });
  };
  // The stream of a file ignores that a full disk took only a part of the text.
  const isRegularFile = attempt(() => fstatSync(stream.fd).isFile());
  const write = isRegularFile ? writeToFile : writeToStream;
  return {
    write: (text) => {
      isUsed = true;
      if (lost === undefined) write(text);
    },
    isUsed: () => isUsed,
    failure: async () => {
      await last;
      // A terminal that was closed answers a write with EIO.
      const isReaderGone = lost?.code === 'EPIPE' || (isTerminal && lost?.code === 'EIO');
      return isReaderGone ? undefined : lost;
    },
    isTerminal,
    columns: stream.columns || undefined,
  };
}

export class OutputError extends AttuneError {
  override readonly name = 'OutputError';
  override readonly code = 'file-not-written';

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

/**
 * The exit codes of a run that a signal stopped, as shells count them. Windows has no SIGTERM and sends SIGBREAK for Ctrl-Break, which means
 * the same as Ctrl-C; other systems never send it.
 */
export const signalCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGBREAK: 130 } as const;

export interface Interrupts {
  readonly stop: AbortSignal;
  exitCode(): number | undefined;
  release(): void;
}

/** Signals this close together are one: npm forwards a Ctrl-C that the whole process group already has. */
const oneSignal = 1000;

type SignalSource = typeof thisProcess;

const thisProcess = {
  on: (signal: string, handler: () => void): void => void process.on(signal, handler),
  off: (signal: string, handler: () => void): void => void process.off(signal, handler),
  /** npm sends SIGTERM to the shell in which it started the process, and that shell does not forward it. */
  onOrphaned: (handler: () => void): (() => void) => {
    if (process.env.npm_command === undefined || process.platform === 'win32') return () => {};
    const parent = process.ppid;
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      handler();
    }, oneSignal).unref();
    return () => clearInterval(timer);
  },
  exit: (code: number): void => process.exit(code),
  /** Milliseconds on a clock that is never set back. */
  now: (): number => process.uptime() * 1000,
};

interface InterruptOptions {
  /** Called at SIGHUP, which then does not interrupt the run. */
  readonly onHangup?: () => void;
}

/** The first signal lets running calls finish; another one, a second or more later, ends the process at once. */
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
