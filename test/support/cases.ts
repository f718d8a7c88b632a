import { appendFileSync } from 'node:fs';
import type { Parameters } from 'fast-check';

/**
 * How much is tried: in CI as much as fits into the tests, and `ATTUNE_CASES` times as much in a longer run, as in
 * `ATTUNE_CASES=10 ATTUNE_SEED=42 npx vitest run test/hostile`. `npm run endure` does so for all.
 */
const times = Number(process.env.ATTUNE_CASES ?? 1);

/** Whether more is tried than in CI. */
export const isLongRun = times > 1;

/** How many generated cases a property tries. `ATTUNE_SEED` repeats a run; a failure prints its seed. */
export function cases<T>(inCi: number): Parameters<T> {
  const numRuns = Math.max(1, Math.round(inCi * times));
  count('inputs tried', numRuns);
  const seed = process.env.ATTUNE_SEED;
  return { numRuns, ...(seed !== undefined && { seed: Number(seed) }) };
}

/** Of a fixed list of cases so many, spread over all of it; in a long run all of them. */
export function sample<Case>(list: readonly Case[], inCi: number): readonly Case[] {
  const step = Math.max(1, Math.floor(list.length / (inCi * times)));
  return list.filter((_, index) => index % step === 0);
}

/** Milliseconds that a property may take: `seconds` for what CI tries, and as many times more as `ATTUNE_CASES` says. */
export function within(seconds: number): number {
  return 1000 * seconds * Math.max(1, times);
}

/** Adds to a figure that is printed when all tests have run. */
export function count(figure: string, amount = 1): void {
  tell({ figure, amount });
}

/** A line that is printed as it is then. */
export function note(text: string): void {
  tell({ note: text });
}

function tell(figure: object): void {
  const file = process.env.ATTUNE_FIGURES;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}
