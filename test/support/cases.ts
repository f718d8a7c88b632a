import type { Parameters } from 'fast-check';

/**
 * How many generated cases a property tries: `ATTUNE_CASES` multiplies what CI tries, and `ATTUNE_SEED` repeats a run,
 * as in `ATTUNE_CASES=10 ATTUNE_SEED=42 npx vitest run test/hostile`. A failure prints its seed.
 */
export function cases<T>(inCi: number): Parameters<T> {
  const times = Number(process.env.ATTUNE_CASES ?? 1);
  const seed = process.env.ATTUNE_SEED;
  return {
    numRuns: Math.max(1, Math.round(inCi * times)),
    ...(seed !== undefined && { seed: Number(seed) }),
  };
}

/** Milliseconds that a property may take: `seconds` for what CI tries, and as many times more as `ATTUNE_CASES` says. */
export function within(seconds: number): number {
  return 1000 * seconds * Math.max(1, Number(process.env.ATTUNE_CASES ?? 1));
}
