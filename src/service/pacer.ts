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
  let nextAt = 0;
  let pausedUntil = 0;

  return {
    async turn() {
      for (;;) {
        const now = clock.now();
        if (now < pausedUntil) {
          await clock.sleep(pausedUntil - now, signal);
          continue;
        }
        if (rate === undefined) return;
        // The slot is taken before the wait, so that those behind line up one interval further on.
        const slot = Math.max(now, nextAt);
        nextAt = slot + 1000 / rate;
        if (slot > now) await clock.sleep(slot - now, signal);
        if (clock.now() >= pausedUntil) return;
      }
    },
    announce(requestsPerSecond) {
      if (options.rate === undefined) rate = requestsPerSecond;
    },
    pause(milliseconds) {
      pausedUntil = Math.max(pausedUntil, clock.now() + milliseconds);
      // Slots that are taken already stay taken: those who wait for them would come on top otherwise.
      nextAt = Math.max(nextAt, pausedUntil);
    },
    get rate() {
      return rate;
    },
  };
}
