import type { Clock } from './clock.ts';
import { type AnnouncedLimit, throttleWait } from './retry.ts';

/** Milliseconds. Services count the requests of a second, so requests that are later than that are not caught up on. */
const longestCatchUp = 1000;

/** When a window of the limit ends: between these times of the clock. */
interface WindowEnd {
  readonly earliest: number;
  readonly latest: number;
}

/**
 * The wait that a response announces counts from an unknown time between its request and its arrival. The responses of
 * one window together give its end more exactly.
 */
function narrowed(end: WindowEnd, known: WindowEnd | undefined): WindowEnd {
  if (!known || end.earliest > known.latest || end.latest < known.earliest) return end;
  return {
    earliest: Math.max(end.earliest, known.earliest),
    latest: Math.min(end.latest, known.latest),
  };
}

/**
 * Spaces requests evenly, one request below an announced limit, so that a second run in the same second is not refused, and holds all of them back after a
 * 429. Without a rate, the first request is sent alone, because its response announces the limit. One pacer serves one
 * token; retries wait in the same queue.
 */
export function createPacer(options: {
  readonly rate?: number | undefined;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** Called when a request waits longer than a second because the limit is used up, with the milliseconds. */
  readonly onWait?: (milliseconds: number) => void;
}) {
  const { clock, signal, onWait = () => {} } = options;
  let rate = options.rate;
  /** The maximum of requests in any second, if the service announces one. */
  let most: number | undefined;
  /** When the last `most` requests were sent. */
  let sentAt: number[] = [];
  let lastAt = Number.NEGATIVE_INFINITY;
  let pausedUntil = 0;
  let windowEnd: WindowEnd | undefined;
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
      const isFull = most !== undefined && sentAt.length >= most;
      const due = Math.max(pausedUntil, lastAt + interval, isFull ? (sentAt[0] ?? 0) + 1000 : 0);
      if (now >= due) {
        // Late timers do not delay later requests, and time without requests does not accumulate.
        lastAt = Math.max(due, wantedAt, now - Math.max(interval, longestCatchUp));
        if (most !== undefined) sentAt = [...sentAt, now].slice(-most);
        return;
      }
      if (pausedUntil - now > longestCatchUp) onWait(pausedUntil - now);
      await clock.sleep(due - now, signal);
    }
  };
  const pause = (milliseconds: number) => {
    pausedUntil = Math.max(pausedUntil, clock.now() + milliseconds);
  };
  return {
    turn() {
      const wantedAt = clock.now();
      const turn = queue.then(() => next(wantedAt));
      queue = turn.catch(() => {});
      return turn;
    },
    ended: endFirst,
    /** The limit becomes the rate, unless the user has set one. Once it is used up, requests wait for its next window. */
    answered({ limit, remaining, wait }: AnnouncedLimit, request: { sentAt: number; isRefused: boolean }) {
      if (limit !== undefined && options.rate === undefined) {
        // One request less than the limit, for another run of the token in the same second.
        rate = Math.max(limit - 1, 1);
        most = Math.floor(rate);
      }
      const now = clock.now();
      if (wait !== undefined)
        windowEnd = narrowed({ earliest: request.sentAt + wait, latest: now + wait }, windowEnd);
      // Waiting for the latest end would leave the limit unused.
      const left =
        wait === undefined || !windowEnd ? undefined : (windowEnd.earliest + windowEnd.latest) / 2 - now;
      if (request.isRefused) pause(throttleWait(left));
      else if (remaining === 0 && left !== undefined) pause(left);
    },
    get rate() {
      return rate;
    },
  };
}

export type Pacer = ReturnType<typeof createPacer>;
