import type { Clock } from './clock.ts';

/**
 * Spaces requests evenly, so that a shared limit is used up without being overrun, and holds all of them back
 * after a 429. One pacer serves one token: retries take their turn like everything else.
 */
export interface Pacer {
  /** Resolves when the next request may go. */
  turn(): Promise<void>;
  /** Takes the limit that the service announces; a rate that the user set stands above it. */
  announce(requestsPerSecond: number): void;
  /** Lets nothing go for so many milliseconds from now. */
  pause(milliseconds: number): void;
  /** Requests per second, where there is a limit. */
  readonly rate: number | undefined;
}

export function createPacer(options: {
  readonly rate?: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}): Pacer {
  const { clock, signal } = options;
  let rate = options.rate;
  let lastAt = Number.NEGATIVE_INFINITY;
  let pausedUntil = 0;
  let queue: Promise<unknown> = Promise.resolve();

  /** Only who is next in line waits for a time, which is worked out anew whenever it may have changed. */
  const next = async () => {
    for (let hasWaited = false; ; hasWaited = true) {
      const now = clock.now();
      const interval = rate === undefined ? 0 : 1000 / rate;
      const due = Math.max(pausedUntil, lastAt + interval);
      if (now >= due) {
        // A timer that came late does not put off all that follow; time without requests is not saved up.
        lastAt = hasWaited ? Math.max(due, now - interval) : now;
        return;
      }
      await clock.sleep(due - now, signal);
    }
  };
  return {
    turn() {
      const turn = queue.then(next);
      queue = turn.catch(() => {});
      return turn;
    },
    announce(requestsPerSecond) {
      if (options.rate === undefined) rate = requestsPerSecond;
    },
    pause(milliseconds) {
      pausedUntil = Math.max(pausedUntil, clock.now() + milliseconds);
    },
    get rate() {
      return rate;
    },
  };
}
