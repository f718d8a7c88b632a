import type { Clock } from './clock.ts';

/**
 * Spaces requests evenly, so that a shared limit is used fully and not exceeded, and holds all of them back after a
 * 429. Without a rate, the first request is sent alone, because its response announces the limit. One pacer serves one
 * token; retries wait in the same queue.
 */
export interface Pacer {
  /** Resolves when the next request may be sent. */
  turn(): Promise<void>;
  /** A request has ended, with or without a response. */
  ended(): void;
  /** Sets the limit that the service announces; a rate set by the user overrides it. */
  announce(requestsPerSecond: number): void;
  /** Holds back all requests for this many milliseconds from now. */
  pause(milliseconds: number): void;
  /** Requests per second, where there is a limit. */
  readonly rate: number | undefined;
}

/** Milliseconds. Services count the requests of a second, so requests that are later than that are not caught up on. */
const longestCatchUp = 1000;

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
  let endFirst = () => {};
  const firstEnded = new Promise<void>((resolve) => {
    endFirst = resolve;
  });
  const isFirst = () => lastAt === Number.NEGATIVE_INFINITY;

  /** Only the first request in the queue has a timer, which is set again whenever its time can have changed. */
  const next = async (wantedAt: number) => {
    if (!isFirst() && rate === undefined) await firstEnded;
    for (;;) {
      const now = clock.now();
      const interval = rate === undefined ? 0 : 1000 / rate;
      const due = Math.max(pausedUntil, lastAt + interval);
      if (now >= due) {
        // Late timers do not delay later requests, and time without requests does not accumulate.
        lastAt = Math.max(due, wantedAt, now - Math.max(interval, longestCatchUp));
        return;
      }
      await clock.sleep(due - now, signal);
    }
  };
  return {
    turn() {
      const wantedAt = clock.now();
      const turn = queue.then(() => next(wantedAt));
      queue = turn.catch(() => {});
      return turn;
    },
    ended: endFirst,
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
