import type { ProgramEnd, RunIo } from '../run/context.ts';
import { masked } from '../run/secrets.ts';
import { type CommandOptions, runCommand, surroundings } from '../run/surroundings.ts';
import { catchInterrupts, type InterruptOptions, type Interrupts, signalCodes } from './interrupts.ts';
import { UnansweredError } from './run-errors.ts';
import { processSink, type ResultSink, type Sink } from './sink.ts';

/** Everything outside the process that a run uses. Tests replace it. */
export interface Io extends RunIo {
  readonly stdout: ResultSink;
  readonly stderr: Sink;
  /** The version of Node that runs; absent if nothing depends on it. */
  readonly nodeVersion?: string;
  /** Whether stdin is a terminal. */
  readonly canAsk: () => boolean;
  /**
   * Asks on the terminal; returns `undefined` if stdin is not a terminal.
   *
   * @throws {AttuneError} if the user answers with Ctrl-C or Ctrl-D.
   */
  readonly ask: (question: string) => Promise<string | undefined>;
  /** From this call on, an interrupt lets running calls finish; before, it ends the process. */
  readonly catchInterrupts: (options?: InterruptOptions) => Interrupts;
  /** Runs a command of the user in a shell; both of its outputs go to stderr. */
  readonly runCommand: (command: string, options: CommandOptions) => Promise<ProgramEnd>;
}

export interface ProcessIo extends Io {
  /** Resolves when all text is handed over: the streams of pipes are asynchronous on some systems. */
  flush(): Promise<void>;
}

export function processIo(): ProcessIo {
  const stdout = processSink(process.stdout);
  const stderr = processSink(process.stderr);
  const own = surroundings();
  return {
    ...own,
    nodeVersion: process.versions.node,
    stdout,
    stderr,
    canAsk,
    ask,
    catchInterrupts: (options) => {
      const print = options?.onForcedEnd ?? ((statement) => stderr.write(statement));
      return catchInterrupts(() => print(own.run.describeWrites?.('figures') ?? ''), undefined, options);
    },
    runCommand,
    flush: async () => {
      await Promise.all([stdout.failure(), stderr.failure()]);
    },
  };
}

/** Node loads the stream of stdin when it is first used. */
function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

async function ask(question: string): Promise<string | undefined> {
  if (!canAsk()) return undefined;
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
    throw new UnansweredError(exitCode);
  } finally {
    reader.close();
  }
}

/** Replaces secrets in all output. */
export function maskSecrets(io: Io, secrets: ReadonlySet<string>): Io {
  const masking = <Inner extends Sink>(inner: Inner): Inner => ({
    ...inner,
    write: (text: string) => inner.write(masked(text, secrets)),
  });
  return { ...io, stdout: masking(io.stdout), stderr: masking(io.stderr) };
}
