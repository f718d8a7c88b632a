/** When cycles start. Durations are in milliseconds. */
export interface Schedule {
  /** From the end of a cycle to the start of the next. */
  readonly interval: number;
  /** The share by which an interval varies: 0.1 for 10 percent. */
  readonly jitter: number;
}

const firstRetry = 10_000;

/** From the first cycle of `--once` to the one that applies its deletions. */
export const waitForDeletions = 10_000;

/**
 * How long to wait after a cycle. After failures the wait starts at 10 seconds and doubles with each, up to the interval,
 * and is shortened by up to half at random: several processes do not return to a service at the same time.
 *
 * @param failures The number of cycles in a row that failed, the last one included.
 * @param random From 0 up to 1.
 */
export function waitBeforeNext({ interval, jitter }: Schedule, failures: number, random: number): number {
  if (failures === 0) return interval * (1 + jitter * (2 * random - 1));
  const backoff = Math.min(firstRetry * 2 ** (failures - 1), interval);
  return backoff * (0.5 + random / 2);
}
