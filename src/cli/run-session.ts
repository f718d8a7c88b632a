import type { ReportKind } from '../report/report.ts';
import { errorDiagnostics } from '../run/errors.ts';
import { errorEntries } from '../run/report-entry.ts';
import { printErrors, refuse } from './emit.ts';
import type { SessionFlags } from './flags.ts';
import { InterruptedError, signalCodes, UnansweredError } from './interrupts.ts';
import { type Io, OutputError } from './io.ts';
import { createSession, type OutputFlags, type Session } from './session.ts';

/**
 * Runs a command with its session. An error ends it with the reasons in the format that was asked for. If output got
 * lost, stderr states what was written to the service, and the exit code is 1.
 */
export async function runSession(
  io: Io,
  flags: SessionFlags & OutputFlags,
  kind: ReportKind | undefined,
  use: (session: Session) => Promise<number>,
): Promise<number> {
  let session: Session | undefined;
  let failure: unknown;
  let code: number;
  try {
    session = await createSession(io, flags);
    code = await use(session);
  } catch (error) {
    failure = error;
    session ??= await createSession(io, { ...flags, report: [] });
    code = await failWith(error, session, kind);
  }
  const lost = await io.stdout.failure();
  if (lost && !(failure instanceof OutputError)) {
    session.console.diagnostics(errorDiagnostics(new OutputError(lost), session));
  }
  const isIncomplete = lost !== undefined || session.output.isIncomplete;
  if (failure !== undefined || isIncomplete) {
    const statement = session.io.run.describeWrites?.(lost ? 'changes' : 'figures');
    if (statement !== undefined) session.io.stderr.write(statement);
    else if (failure !== undefined && kind === 'apply') session.console.inform('No changes were made.');
  }
  return isIncomplete && !endedBySignal.has(code) ? 1 : code;
}

const endedBySignal: ReadonlySet<number> = new Set(Object.values(signalCodes));

/** @returns the exit code */
async function failWith(error: unknown, session: Session, kind: ReportKind | undefined): Promise<number> {
  const entries = errorEntries(error, session);
  const code = await (kind === undefined ? printErrors(session, entries) : refuse(session, kind, entries));
  const hasOwnCode = error instanceof UnansweredError || error instanceof InterruptedError;
  return hasOwnCode ? error.exitCode : code;
}
