import { type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/** The built program. */
export const bin = join(root, 'dist', 'cli', 'bin.js');
if (!existsSync(bin)) throw new Error('dist is missing: run `npm run build`');

export interface ProcessOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A file descriptor that stdout goes to instead of a pipe. */
  readonly stdout?: number;
  /** Outputs whose reader goes away before the process starts to write. */
  readonly unread?: readonly ('stdout' | 'stderr')[];
  /** Runs before the program in a shell, as `ulimit` does. */
  readonly shell?: string;
  /** Arguments of Node itself. */
  readonly node?: readonly string[];
}

export interface AttuneProcess {
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
  kill(signal: NodeJS.Signals): void;
  /** Calls the listener with all of stderr so far, whenever there is more. */
  onStderr(listener: (text: string) => void): void;
}

/** Starts the built program in a separate process. */
export function startAttune(
  argv: readonly string[],
  { cwd, env, stdout = -1, unread = [], shell, node = [] }: ProcessOptions,
): AttuneProcess {
  const stdio: StdioOptions = ['ignore', stdout === -1 ? 'pipe' : stdout, 'pipe'];
  const options = { cwd, env: { ...process.env, ATTUNE_TOKEN: 'test-token', ...env }, stdio };
  const words = [process.execPath, ...node, bin, ...argv];
  const [command = '', ...rest] =
    shell === undefined ? words : ['sh', '-c', `${shell}; exec "$0" "$@"`, ...words];
  const child = spawn(command, rest, options);
  onTestFinished(() => void child.kill('SIGKILL'));
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    const stream = child[name];
    if (unread.includes(name)) stream?.destroy();
    else
      stream?.setEncoding('utf8').on('data', (text: string) => {
        written[name] += text;
      });
  }
  return {
    ended: once(child, 'close').then(([code]) => ({ code, ...written })),
    kill: (signal) => child.kill(signal),
    onStderr: (listener) => child.stderr?.on('data', () => listener(written.stderr)),
  };
}
