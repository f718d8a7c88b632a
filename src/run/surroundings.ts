import type { StdioOptions } from 'node:child_process';
import { homedir } from 'node:os';
import { AttuneError } from '../model/attune-error.ts';
import { systemClock } from '../service/clock.ts';
import type { Environment, ProgramEnd, RunIo } from './context.ts';

/** The surroundings of a run in this process. */
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
  /** Ends the command. */
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
