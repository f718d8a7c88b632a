import type { Diagnostic } from '../../model/diagnostic.ts';
import type { ServiceEvent } from '../../service/attempt.ts';
import type { Log } from '../../watch/log.ts';
import type { Interrupts } from '../interrupts.ts';
import type { CommandRun } from '../io.ts';
import type { Session } from '../session.ts';

export interface WatchSessionOptions {
  readonly log: Log;
  readonly interrupts: Interrupts;
  readonly observe: (event: ServiceEvent) => void;
}

/**
 * The session of the cycles: its output goes to the log, line by line, and it does not catch signals again. Diagnostics
 * are part of the outcome of a cycle, which is logged as a whole.
 */
export function watchSession(session: Session, { log, interrupts, observe }: WatchSessionOptions): Session {
  const inform = (message: string) => log.write('info', { event: 'message', message: message.trimEnd() });
  const warn = ({ code, message }: Diagnostic) =>
    log.write('warn', { event: 'message', message: `[${code}] ${message}` });
  return {
    ...session,
    io: {
      ...session.io,
      stderr: { ...session.io.stderr, write: inform },
      catchInterrupts: () => ({ ...interrupts, release: () => {} }),
    },
    console: { ...session.console, result: () => {}, diagnostics: (found) => found.forEach(warn), inform },
    progress: { begin: () => {}, step: () => {}, end: () => {}, observe },
  };
}

/** The same session for one of several organizations that are applied at the same time. */
export function withOwnRun(session: Session, run: CommandRun): Session {
  return { ...session, io: { ...session.io, run } };
}
