import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outdirVariable } from '../../desired/files/synthesized.ts';
import { AttuneError } from '../../model/attune-error.ts';
import { withoutTokens } from '../../service/credentials.ts';
import type { Io } from '../io.ts';
import { InterruptedError } from '../session/interrupted-error.ts';

/**
 * Runs the program of `--app` and hands on the folder that it wrote, which is gone afterwards. What the program says goes
 * to stderr, wherever it says it; no token is in its environment.
 *
 * @throws {AttuneError} where it fails or writes nothing, {@link InterruptedError} where a signal stopped the run.
 */
export async function withProgram<T>(
  command: string,
  io: Io,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'attune-app-'));
  try {
    await runProgram(command, folder, io);
    if ((await readdir(folder)).length > 0) return await use(folder);
    throw new AttuneError(`the program of --app declares nothing: ${command}`, {
      code: 'app-no-output',
      hint: 'let it end with `await app.synth()`, of attune/constructs',
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runProgram(command: string, folder: string, io: Io): Promise<void> {
  const interrupts = io.catchInterrupts();
  try {
    const env = { ...withoutTokens(io.env), [outdirVariable]: folder };
    const { code, signal } = await io.runCommand(command, { cwd: io.cwd, env, stop: interrupts.stop });
    const exitCode = interrupts.exitCode();
    if (exitCode !== undefined) throw new InterruptedError(exitCode);
    if (code === 0) return;
    const how = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
    throw new AttuneError(`the program of --app ${how}: ${command}`, {
      code: 'app-failed',
      hint: 'what it says itself stands above; nothing was planned',
    });
  } finally {
    interrupts.release();
  }
}
