import type { Environment, ProgramEnd } from '../run/context.ts';
import type { Io } from './io.ts';
import { InterruptedError } from './run-errors.ts';

/**
 * Runs the program of `--app`, which a signal ends.
 *
 * @throws {InterruptedError} if a signal stopped the run.
 */
export async function runProgram(command: string, env: Environment, io: Io): Promise<ProgramEnd> {
  const interrupts = io.catchInterrupts();
  try {
    const end = await io.runCommand(command, { cwd: io.cwd, env, stop: interrupts.stop });
    const exitCode = interrupts.exitCode();
    if (exitCode !== undefined) throw new InterruptedError(exitCode);
    return end;
  } finally {
    interrupts.release();
  }
}
