import type { Report } from '../report/report.ts';
import { errorDiagnostics } from './console.ts';
import { entryOf, refuse } from './emit.ts';
import type { CommonFlags } from './flags.ts';
import type { Io } from './io.ts';
import { createSession, type Session } from './session.ts';

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
    const diagnostics = errorDiagnostics(error);
    // A report file that could not be written is not tried again.
    const bare = { ...(session ?? (await createSession(io, { ...flags, report: [] }))), reports: [] };
    return refuse(bare, kind, [entryOf(bare, io.cwd, { diagnostics })]);
  }
}
