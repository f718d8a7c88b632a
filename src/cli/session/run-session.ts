import { AttuneError } from '../../model/attune-error.ts';
import type { Report } from '../../report/report.ts';
import type { CommonFlags } from '../flags.ts';
import type { Io } from '../io.ts';
import { errorDiagnostics } from './console.ts';
import { entryOf, refuse } from './emit.ts';
import { InterruptedError } from './interrupted-error.ts';
import { RefusedError } from './refused-error.ts';
import { createSession, type Session } from './session.ts';
import { UnansweredError } from './unanswered-error.ts';

/** Runs a command with its session; a known error ends it with the reasons in the format that was asked for. */
export async function runSession(
  io: Io,
  flags: CommonFlags,
  kind: Report['kind'],
  use: (session: Session) => Promise<number>,
): Promise<number> {
  let session: Session | undefined;
  try {
    session = await createSession(io, flags);
    return await use(session);
  } catch (error) {
    // A report file that could not be written is not tried again.
    const isUnwritten = error instanceof AttuneError && error.code === 'file-not-written';
    const usable = session && !isUnwritten ? session : await createSession(io, { ...flags, report: [] });
    const entries =
      error instanceof RefusedError
        ? error.entries
        : [entryOf(usable, io.cwd, { diagnostics: errorDiagnostics(error) })];
    const code = await refuse(usable, kind, entries);
    if (kind === 'apply') usable.console.say('Nothing was written.');
    const hasOwnCode = error instanceof UnansweredError || error instanceof InterruptedError;
    return hasOwnCode ? error.exitCode : code;
  }
}
