import type { HttpResponse } from './http-transport.ts';

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
export function throttleWait(asked: number | undefined): number {
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
