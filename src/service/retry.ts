/**
 * What may be tried again, decided in one pure function.
 *
 * - 429 always: nothing was done, and it is not a failure.
 * - Never what fails in the same way again: a certificate that is not trusted, an answer that cannot be read.
 * - GET on a broken connection, 500, 502, 503 and 504.
 * - A write on the same but 500, and only where the caller says how: either repeating it is harmless, or it is looked
 *   up first whether the lost answer was a success.
 */
export interface Attempt {
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

export type RetryDecision = { readonly retry: false } | { readonly retry: true; readonly wait: number };

/** Where nobody asks for more patience. */
export const maxFailures = 5;
/** A service that says 429 this often in a row to one request does not mean to let it through. */
export const maxThrottled = 100;

const retriedStatus = new Set([502, 503, 504]);

export function decideRetry(attempt: Attempt): RetryDecision {
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
