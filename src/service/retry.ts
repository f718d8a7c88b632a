import type { HttpResponse } from './transport.ts';

/**
 * What may be tried again, decided in one pure function.
 *
 * - 429 always: nothing was done, and it is not a failure.
 * - Never what fails in the same way again: a certificate that is not trusted, an answer that cannot be read.
 * - GET on a broken connection, 500, 502, 503 and 504.
 * - A write on the same but 500, and only where the caller says how: either repeating it is harmless, or it is looked
 *   up first whether the lost answer was a success.
 */
export interface FailedAttempt {
  readonly method: string;
  /** Which failure this is, from 1; answers with 429 do not count. */
  readonly failures: number;
  /** After how many failures it gives up. */
  readonly maxFailures: number;
  /** `undefined`: no answer came. */
  readonly status?: number;
  /** The same request fails again. */
  readonly permanent?: boolean;
  /** How many 429 came in a row. */
  readonly throttled: number;
  /** Whether a write may be sent again. */
  readonly repeatable: boolean;
  /** What the service asks to wait, in milliseconds. */
  readonly askedWait?: number;
  /** From 0 up to 1. */
  readonly random: number;
}

type RetryDecision = { readonly retry: false } | { readonly retry: true; readonly wait: number };

/** Where nobody asks for more patience. */
export const maxFailures = 5;
/** A service that says 429 this often in a row to one request does not mean to let it through. */
export const maxThrottled = 100;

const retriedStatus = new Set([502, 503, 504]);

export function decideRetry(attempt: FailedAttempt): RetryDecision {
  if (attempt.status === 429) {
    if (attempt.throttled >= maxThrottled) return { retry: false };
    // The jitter spreads the jobs that share a token, which all wake up at the same moment otherwise.
    return { retry: true, wait: throttleWait(attempt.askedWait) + attempt.random * 200 };
  }
  if (attempt.permanent) return { retry: false };
  const isRead = attempt.method === 'GET';
  const passing =
    attempt.status === undefined || retriedStatus.has(attempt.status) || (isRead && attempt.status === 500);
  if (!passing || !(isRead || attempt.repeatable) || attempt.failures >= attempt.maxFailures)
    return { retry: false };
  const backoff = Math.min(250 * 2 ** (attempt.failures - 1), 8000);
  return { retry: true, wait: Math.max(attempt.askedWait ?? 0, backoff * (0.5 + attempt.random / 2)) };
}

/** How long a 429 holds everything back: as it asks, or a second where it does not say. */
export function throttleWait(asked: number | undefined): number {
  return Math.max(asked ?? 1000, 100);
}

/** What an answer says about the limit that the token is under. */
interface AnnouncedLimit {
  /** Requests per second. */
  readonly limit?: number;
  /** Milliseconds to wait, where the service asks for it. */
  readonly wait?: number;
  readonly remaining?: number;
}

export function announcedLimit(headers: HttpResponse['headers']): AnnouncedLimit {
  const limit = number(headers['x-ratelimit-limit']);
  const remaining = number(headers['x-ratelimit-remaining']);
  const seconds = number(headers['retry-after']) ?? number(headers['x-ratelimit-reset']);
  return {
    ...(limit !== undefined && limit >= lowestLimit && { limit }),
    ...(remaining !== undefined && { remaining }),
    ...(seconds !== undefined && { wait: waitMilliseconds(seconds) }),
  };
}

/** Less than one request in a second is no limit that a service announces: a run would stand still without a word. */
const lowestLimit = 1;

/** The reset is told as seconds from now; a number of that size can only be a moment since 1970. */
const epochFrom = 1e9;
const longestWait = 5 * 60_000;

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
