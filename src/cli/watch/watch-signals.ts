import type { Interrupts } from '../interrupts.ts';
import type { Io } from '../io.ts';

/** The signals of a `watch`, caught before anything is loaded that handles them. */
export interface WatchSignals {
  readonly interrupts: Interrupts;
  /** Called at SIGHUP. The first cycle has yet to begin before it is set. */
  onHangup: () => void;
  /** Gets the statement of what was written, before another signal ends the process. */
  onForcedEnd: (statement: string) => void;
}

export function catchWatchSignals(io: Io): WatchSignals {
  const handlers: Pick<WatchSignals, 'onHangup' | 'onForcedEnd'> = {
    onHangup: () => {},
    onForcedEnd: (statement) => io.stderr.write(statement),
  };
  const interrupts = io.catchInterrupts({
    onHangup: () => handlers.onHangup(),
    onForcedEnd: (statement) => handlers.onForcedEnd(statement),
  });
  return Object.assign(handlers, { interrupts });
}
