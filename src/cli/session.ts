import type { RunContext, RunOptions } from '../run/context.ts';
import { secretsIn } from '../run/secrets.ts';
import { type Console, createConsole } from './console.ts';
import { checkDistinct, checkReportFiles, type OutputFlags, type ReportFile } from './files/output-files.ts';
import type { SessionFlags } from './flags.ts';
import { type Io, maskSecrets } from './io.ts';
import { createProgress } from './progress.ts';
import { runProgram } from './run-program.ts';

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
    secrets,
    runProgram: (command, env) => runProgram(command, env, io),
    console: createConsole(io, flags),
    progress: createProgress(io, flags, io.clock.now),
    reports: await checkReportFiles(flags.report ?? [], io.cwd),
    output: { isIncomplete: false },
  };
}

/** The same run with other flags, for a command that runs a part of another. */
export function withFlags(session: Session, changed: Partial<SessionFlags>): Session {
  const { io } = session;
  const flags = { ...session.flags, ...changed };
  return {
    ...session,
    flags,
    options: { ...session.options, ...changed },
    console: createConsole(io, flags),
    progress: createProgress(io, flags, io.clock.now),
  };
}
