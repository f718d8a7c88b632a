import { maskToken } from '../service/mask-token.ts';
import { type Console, createConsole } from './console.ts';
import { checkReportFiles, type ReportFile } from './files/output-files.ts';
import type { SessionFlags } from './flags.ts';
import { type Io, maskSecrets } from './io.ts';
import { createProgress, type Progress } from './progress.ts';

/** What a run of a command has at hand. */
export interface Session {
  readonly io: Io;
  readonly flags: SessionFlags;
  readonly console: Console;
  readonly progress: Progress;
  /** Where the report goes beside stdout. */
  readonly reports: readonly ReportFile[];
  /** Tokens, masked in everything that is written from the moment they are known. */
  readonly secrets: Set<string>;
  masked(text: string): string;
  readonly output: OutputState;
}

/** What became of the output of a run. */
export interface OutputState {
  /** A report could not be written after all. */
  isIncomplete: boolean;
}

/** @throws {AttuneError} where a report could not be written in the end: better known before anything is done. */
export async function createSession(bareIo: Io, flags: SessionFlags): Promise<Session> {
  const secrets = new Set<string>();
  const io = maskSecrets(bareIo, secrets);
  return {
    io,
    flags,
    secrets,
    console: createConsole(io, flags),
    progress: createProgress(io, flags, io.clock.now),
    reports: await checkReportFiles(flags.report ?? [], io.cwd),
    masked: (text) => [...secrets].reduce(maskToken, text),
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
    console: createConsole(io, flags),
    progress: createProgress(io, flags, io.clock.now),
  };
}
