import { type StdioOptions, spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { AttuneError } from '../model/attune-error.ts';
import { type Clock, systemClock } from '../service/clock.ts';
import { maskToken } from '../service/mask-token.ts';
import { signalCodes } from './session/interrupted-error.ts';
import { UnansweredError } from './session/unanswered-error.ts';

/** Everything that a run touches outside of itself; tests bring their own. */
export interface Io {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The user's home folder. */
  readonly home: string;
  /** Waits between tries and for a rate limit go by it. */
  readonly clock: Clock;
  /** Whether there is a terminal with somebody to answer. */
  readonly canAsk: boolean;
  /**
   * Asks on the terminal; `undefined` where nobody is there to answer.
   *
   * @throws {AttuneError} where whoever is there leaves with Ctrl-C or Ctrl-D.
   */
  readonly ask: (question: string) => Promise<string | undefined>;
  /** From then on an interrupt lets running calls finish; until then it ends the process. */
  readonly catchInterrupts: () => Interrupts;
  /** Runs a command of the user's in a shell; both of its outputs go to stderr. */
  readonly runCommand: (command: string, options: CommandOptions) => Promise<CommandEnd>;
}

export interface CommandOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends the command. */
  readonly stop: AbortSignal;
}

export interface CommandEnd {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
}

export interface Sink {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Characters per line, on a terminal. */
  readonly columns?: number;
}

export interface Interrupts {
  readonly stop: AbortSignal;
  /** 130 or 143 after a signal. */
  exitCode(): number | undefined;
  release(): void;
}

export function processIo(): Io {
  return {
    stdout: sink(process.stdout),
    stderr: sink(process.stderr),
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    clock: systemClock,
    canAsk: canAsk(),
    ask,
    catchInterrupts,
    runCommand,
  };
}

function runCommand(command: string, { cwd, env, stop }: CommandOptions): Promise<CommandEnd> {
  return new Promise((resolve, reject) => {
    const stdio: StdioOptions = ['ignore', 2, 'inherit'];
    const child = spawn(command, { shell: true, cwd, env: { ...env }, stdio });
    const end = () => child.kill();
    stop.addEventListener('abort', end);
    child.on('error', (cause) =>
      reject(new AttuneError(`cannot run ${command}: ${cause.message}`, { code: 'app-failed', cause })),
    );
    child.on('close', (code, signal) => {
      stop.removeEventListener('abort', end);
      resolve({ code, signal });
    });
  });
}

function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

async function ask(question: string): Promise<string | undefined> {
  if (!canAsk()) return undefined;
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  // Neither Ctrl-C nor Ctrl-D settles a question by itself.
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

function sink(stream: NodeJS.WriteStream): Sink {
  return {
    write: (text) => {
      stream.write(text);
    },
    isTerminal: stream.isTTY === true,
    ...(stream.columns && { columns: stream.columns }),
  };
}

/** The first signal stops gently; the second ends the process at once. */
function catchInterrupts(): Interrupts {
  const controller = new AbortController();
  let code: number | undefined;
  const handlers = Object.entries(signalCodes).map(([signal, exitCode]) => {
    const handler = () => {
      if (code !== undefined) process.exit(exitCode);
      code = exitCode;
      controller.abort();
    };
    process.on(signal, handler);
    return () => process.off(signal, handler);
  });
  return {
    stop: controller.signal,
    exitCode: () => code,
    release: () => {
      for (const release of handlers) release();
    },
  };
}

/** Replaces secrets in everything that is written, wherever it came from. */
export function maskSecrets(io: Io, secrets: ReadonlySet<string>): Io {
  const masked = (inner: Sink): Sink => ({
    ...inner,
    write: (text) => {
      let shown = text;
      for (const secret of secrets) shown = maskToken(shown, secret);
      inner.write(shown);
    },
  });
  return { ...io, stdout: masked(io.stdout), stderr: masked(io.stderr) };
}
