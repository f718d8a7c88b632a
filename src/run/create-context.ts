import type { StdioOptions } from 'node:child_process';
import { homedir } from 'node:os';
import { AttuneError } from '../model/attune-error.ts';
import { systemClock } from '../service/clock.ts';
import {
  type BaseOptions,
  type Environment,
  type JournalOptions,
  libraryOptions,
  type Notices,
  type ProgramEnd,
  type Progress,
  type RunContext,
  type RunIo,
  type RunOptions,
  secretsIn,
} from './context.ts';

/** Follows a run: its phases and requests, and what it reports beside its result. */
export interface RunObserver extends Progress, Notices {}

/** The options of every run. Diagnostics of plans name them as flags: `--max-deletes` is the option `maxDeletes`. */
export interface RunSettings extends RunOptions {
  /** The working folder, from which all paths are resolved. @default the working folder of the process */
  readonly cwd?: string;
  /** Environment variables with the token and the address. @default those of the process */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Is called during the run. What it throws goes to its `unknownError` and changes no result. */
  readonly observer?: Partial<RunObserver>;
}

export function createContext(settings: RunSettings & BaseOptions & JournalOptions): RunContext {
  const { cwd, env, observer = {}, ...options } = settings;
  const io = surroundings({ ...(cwd !== undefined && { cwd }), ...(env && { env }) });
  const failed = (error: unknown) => void notify(() => observer.unknownError?.(error));
  return {
    io,
    options,
    named: (flag) => libraryOptions[flag],
    secrets: secretsIn([options.address, io.env.ATTUNE_ADDRESS]),
    runProgram: (command, programEnv) => runCommand(command, { cwd: io.cwd, env: programEnv }),
    progress: {
      begin: (label, total) => void notify(() => observer.begin?.(label, total), failed),
      step: () => void notify(() => observer.step?.(), failed),
      observe: (event) => void notify(() => observer.observe?.(event), failed),
      end: () => void notify(() => observer.end?.(), failed),
    },
    console: {
      diagnostics: (diagnostics) => void notify(() => observer.diagnostics?.(diagnostics), failed),
      inform: (text) => void notify(() => observer.inform?.(text), failed),
      unknownError: failed,
    },
  };
}

/** Calls an observer at once. Its errors must not end a run between a write and the record of it. */
async function notify(call: () => unknown, failed?: (error: unknown) => void): Promise<void> {
  try {
    await call();
  } catch (error) {
    failed?.(error);
  }
}

export function surroundings({
  cwd = process.cwd(),
  env = process.env,
}: Partial<Pick<RunIo, 'cwd' | 'env'>> = {}): RunIo {
  const home = homeFolder();
  return {
    cwd,
    env,
    clock: systemClock,
    retryFor: 30,
    date: () => new Date(),
    run: {},
    ...(home !== undefined && { home }),
  };
}

/** Without `HOME`, the user's entry in the list of users is needed. */
function homeFolder(): string | undefined {
  try {
    // An empty name would be resolved to the working folder.
    return homedir() || undefined;
  } catch {
    return undefined;
  }
}

export interface CommandOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly stop?: AbortSignal;
}

/** Runs a command of the user in a shell; both of its outputs go to stderr. */
export async function runCommand(command: string, { cwd, env, stop }: CommandOptions): Promise<ProgramEnd> {
  const { spawn } = await import('node:child_process');
  return new Promise((resolve, reject) => {
    const stdio: StdioOptions = ['ignore', 2, 'inherit'];
    const child = spawn(command, { shell: true, cwd, env: { ...env }, stdio });
    const end = () => child.kill();
    stop?.addEventListener('abort', end);
    child.on('error', (cause) =>
      reject(new AttuneError(`cannot run ${command}: ${cause.message}`, { code: 'app-failed', cause })),
    );
    child.on('close', (code, signal) => {
      stop?.removeEventListener('abort', end);
      resolve({ code, signal });
    });
  });
}
