import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Interrupts, Io } from '../../src/cli/io.ts';
import { run } from '../../src/cli/main.ts';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../src/emulator/index.ts';
import { type Clock, systemClock } from '../../src/service/clock.ts';

/** A run of the command line, as its caller sees it. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What is typed at the question, of several one at each; without it there is no terminal. */
  readonly answer?: string | readonly string[] | (() => Promise<string>);
  /** Characters per line of a terminal that stdout is; without it stdout goes elsewhere. */
  readonly columns?: number;
  readonly interrupts?: Interrupts;
  /** Gets the text that is written during the run. */
  readonly onStdout?: (text: string) => void;
  readonly onStderr?: (text: string) => void;
  /** @default the system's */
  readonly clock?: Clock;
  /** @default the system's */
  readonly date?: () => Date;
  /** Gets the function that a SIGHUP calls. */
  readonly onHangup?: (hangup: () => void) => void;
}

/** The progress of work that takes longer than two seconds by the system's clock: it depends on the machine. */
const progressLine = /^.+: \d+ of \d+, \d+\/s(, \d+ s left)?\n$/;

/** Runs a command in this process. */
export async function attune(argv: readonly string[], options: RunOptions): Promise<Ran> {
  const written = { stdout: '', stderr: '' };
  const sink = (name: keyof typeof written) => ({
    write: (text: string) => {
      if (name === 'stderr' && options.clock === undefined && progressLine.test(text)) return;
      written[name] += text;
      if (name === 'stdout') options.onStdout?.(text);
      else options.onStderr?.(text);
    },
    isTerminal: name === 'stdout' && options.columns !== undefined,
    ...(options.columns !== undefined && { columns: options.columns }),
  });
  const { answer: reported } = options;
  const answers = typeof reported === 'function' ? [] : [reported ?? []].flat();
  const io: Io = {
    stdout: { ...sink('stdout'), failure: async () => undefined, isUsed: () => written.stdout !== '' },
    stderr: sink('stderr'),
    env: options.env ?? {},
    cwd: options.cwd,
    home: join(options.cwd, 'home'),
    clock: options.clock ?? systemClock,
    date: options.date ?? (() => new Date()),
    ask: async (question) => {
      const listed = answers.length > 1 ? answers.shift() : answers[0];
      const answer = typeof reported === 'function' ? await reported() : listed;
      if (answer !== undefined) written.stderr += question;
      return answer;
    },
    catchInterrupts: ({ onHangup } = {}) => {
      if (onHangup) options.onHangup?.(onHangup);
      return (
        options.interrupts ?? {
          stop: new AbortController().signal,
          exitCode: () => undefined,
          release: () => {},
        }
      );
    },
    runCommand: async (command, { cwd, env }) => {
      const child = spawn(command, { shell: true, cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
      for (const output of [child.stdout, child.stderr])
        output.setEncoding('utf8').on('data', (text) => {
          written.stderr += text;
        });
      const [code, signal] = await once(child, 'close');
      return { code, signal };
    },
    run: {},
  };
  const code = await run(argv, io);
  return { code, ...written };
}

/** A folder that is removed after the test, with files in it. Synchronous calls take a fraction of the time. */
export async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'attune-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** An embedded service that stops after the test. */
export async function serviceWith(options: EmulatorOptions): Promise<Emulator> {
  const emulator = await startEmulator(options);
  onTestFinished(() => emulator.stop());
  return emulator;
}

export interface World {
  readonly folder: string;
  readonly service: Emulator;
  /** Runs a command against the service, and forgets the requests of the run before. */
  attune(...argv: string[]): Promise<Ran>;
  /** The requests of the last run, as `METHOD /path`. */
  requests(): string[];
  /** Those of them that write. */
  writes(): string[];
}

/** What a run in a world has beside its files and its service. */
export type WorldOptions = Partial<Omit<RunOptions, 'cwd'>> & {
  /** @default the service's */
  readonly address?: string;
};

/** Files and a service that they are about. `attune.yaml` needs no address and no organization other than `acme`. */
export async function worldWith(
  files: Readonly<Record<string, string>> | string,
  service: EmulatorOptions,
  { address, ...options }: WorldOptions = {},
): Promise<World> {
  const folder = await folderWith(typeof files === 'string' ? { 'attune.yaml': files } : files);
  const emulator = await serviceWith(service);
  const requests = () => emulator.requests.map(({ method, path }) => `${method} ${path}`);
  return {
    folder,
    service: emulator,
    attune: (...argv) => {
      emulator.clearRequests();
      return attune([...argv, '--address', address ?? emulator.url], {
        env: { ATTUNE_TOKEN: 'test-token' },
        ...options,
        cwd: folder,
      });
    },
    requests,
    writes: () => requests().filter((request) => !request.startsWith('GET ')),
  };
}
