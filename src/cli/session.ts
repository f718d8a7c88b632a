import type { Environment, ProgramEnd, RunContext, RunOptions } from '../run/context.ts';
import { secretsIn } from '../run/secrets.ts';
import { type Console, createConsole } from './console.ts';
import type { SessionFlags } from './flags.ts';
import { type Io, maskSecrets } from './io.ts';
import { checkDistinct, checkReportFiles, type OutputFlags, type ReportFile } from './output-files.ts';
import { createProgress } from './progress.ts';
import { InterruptedError } from './run-errors.ts';

/** The options, output and progress of one run of a command. */
export interface Session extends RunContext {
  readonly io: Io;
  /** How the run reports; what it works on is in `options`. */
  readonly flags: Omit<SessionFlags, keyof RunOptions>;
  readonly console: Console;
  /** The files that receive the report in addition to stdout. */
  readonly reports: readonly ReportFile[];
  readonly output: OutputState;
}

/** Whether the output of a run is complete. */
export interface OutputState {
  /** A report could not be written. */
  isIncomplete: boolean;
}

/** @throws {AttuneError} if a report file cannot be written, checked before any work is done. */
export async function createSession(bareIo: Io, flags: SessionFlags & OutputFlags): Promise<Session> {
  if (flags.report?.length) await checkDistinct(flags, bareIo.cwd);
  const secrets = secretsIn([flags.address, bareIo.env.ATTUNE_ADDRESS]);
  const io = maskSecrets(bareIo, secrets);
  return {
    io,
    flags,
    options: flags,
    named: (flag) => `--${flag}`,
    secrets,
    runProgram: (command, env) => runProgram(command, env, io),
    ...outputsOf(io, flags),
    reports: await checkReportFiles(flags.report ?? [], io.cwd),
    output: { isIncomplete: false },
  };
}

/** The same run with other flags, for a command that runs a part of another. */
export function withFlags(session: Session, changed: Partial<SessionFlags>): Session {
  const { io } = session;
  const flags = { ...session.flags, ...changed };
  return { ...session, flags, options: { ...session.options, ...changed }, ...outputsOf(io, flags) };
}

function outputsOf(io: Io, flags: Session['flags']): Pick<Session, 'console' | 'progress'> {
  return { console: createConsole(io, flags), progress: createProgress(io, flags, io.clock.now) };
}

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
