import type { Diagnostic } from '../../model/diagnostic.ts';
import type { RunState } from '../../run/context.ts';
import type { ServiceEvent } from '../../service/attempt.ts';
import type { Log } from '../../watch/log.ts';
import type { Interrupts } from '../interrupts.ts';
import type { Io } from '../io.ts';
import { stackOf } from '../run-errors.ts';
import { runProgram } from '../run-program.ts';
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
  const unknownError = (error: unknown) => {
    if (session.flags.verbose) inform(stackOf(error));
  };
  const io: Io = {
    ...session.io,
    stderr: { ...session.io.stderr, write: inform },
    catchInterrupts: () => ({ ...interrupts, release: () => {} }),
  };
  return {
    ...session,
    io,
    runProgram: (command, env) => runProgram(command, env, io),
    console: {
      ...session.console,
      result: () => {},
      diagnostics: (found) => found.forEach(warn),
      inform,
      unknownError,
    },
    progress: { begin: () => {}, step: () => {}, end: () => {}, observe },
  };
}

/** The same session for one of several organizations that are applied at the same time. */
export function withOwnRun(session: Session, run: RunState): Session {
  return { ...session, io: { ...session.io, run } };
}
