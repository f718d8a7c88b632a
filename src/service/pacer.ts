import type { Clock } from './clock.ts';
import type { HttpResponse } from './http-transport.ts';

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
  return { earliest: Math.max(end.earliest, known.earliest), latest: Math.min(end.latest, known.latest) };
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

/**
 * An attempt of which {@link retryWait} decides whether it is repeated.
 *
 * - 429: always, because the request had no effect. It is not a failure.
 * - Never an error that would occur again: a certificate that is not trusted, a response that cannot be read.
 * - GET on a broken connection, 500, 502, 503 and 504.
 * - A write on the same except 500, and only if the caller allows it: either repeating it is harmless, or a look-up
 *   first checks whether it took effect.
 */
export interface FailedAttempt {
  readonly method: string;
  readonly failures: number;
  readonly maxFailures: number;
  /** `undefined`: there was no response. */
  readonly status?: number | undefined;
  readonly permanent?: boolean;
  readonly throttled: number;
  readonly repeatable: boolean;
  readonly askedWait?: number | undefined;
  readonly random: number;
}

export const maxFailures = 5;
/** After this many consecutive 429 to one request, it fails instead of waiting for ever. */
export const maxThrottled = 100;

/** A proxy answers for a service that does not run, or the service is about to end. */
const unavailableStatus: ReadonlySet<number> = new Set([502, 503, 504]);

/** The milliseconds before the next attempt; `undefined` if there is none. */
export function retryWait(attempt: FailedAttempt): number | undefined {
  const { method, status, failures, askedWait } = attempt;
  if (status === 429) {
    if (attempt.throttled >= maxThrottled) return undefined;
    // The jitter spreads jobs that share a token, which would otherwise retry at the same moment.
    return throttleWait(askedWait) + attempt.random * 200;
  }
  const isRead = method === 'GET';
  const passing = status === undefined || unavailableStatus.has(status) || (isRead && status === 500);
  const isLate = failures >= attempt.maxFailures;
  if (attempt.permanent || !passing || !(isRead || attempt.repeatable) || isLate) return undefined;
  const backoff = Math.min(250 * 2 ** (failures - 1), 8000);
  return Math.max(askedWait ?? 0, backoff * (0.5 + attempt.random / 2));
}

/** How long a 429 holds back all requests: the requested time, or one second by default. */
function throttleWait(asked: number | undefined): number {
  return Math.max(asked ?? 1000, 100);
}

/** The wait is in milliseconds. */
export type AnnouncedLimit = Partial<ReturnType<typeof announcedLimit>>;

export function announcedLimit(headers: HttpResponse['headers']) {
  const limit = number(headers['x-ratelimit-limit']);
  const remaining = number(headers['x-ratelimit-remaining']);
  const seconds = number(headers['retry-after']) ?? number(headers['x-ratelimit-reset']);
  return {
    limit: limit !== undefined && limit >= lowestLimit ? limit : undefined,
    remaining,
    wait: seconds === undefined ? undefined : waitMilliseconds(seconds),
  };
}

/** Lower announced limits are not plausible and would stop a run without a message. */
const lowestLimit = 1;

/** The reset is given in seconds from now. A larger number is a time since 1970. */
const epochFrom = 1e9;
const longestWait = 60 * 60_000;

function waitMilliseconds(seconds: number): number {
  const milliseconds = seconds > epochFrom ? seconds * 1000 - Date.now() : seconds * 1000;
  return Math.min(Math.max(milliseconds, 0), longestWait);
}

function number(header: string | string[] | undefined): number | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined || text.trim() === '') return undefined;
  const value = Number(text);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}
