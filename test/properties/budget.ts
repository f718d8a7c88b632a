import { appendFileSync } from 'node:fs';

/**
 * How much is tried. In CI as much as fits into the tests; `npm run endure` tries `ATTUNE_ENDURE` times as much, with a
 * seed that it prints, so that any run can be repeated with `ATTUNE_SEED`.
 */
const factor = Number(process.env.ATTUNE_ENDURE ?? 1);

/** Whether more is tried than in CI. */
export const isLongRun = factor > 1;

/** How many inputs a property is tried with, and the seed that they come from. */
export function runs(inCi: number): { readonly numRuns: number; readonly seed?: number } {
  const seed = process.env.ATTUNE_SEED;
  return { numRuns: Math.round(inCi * factor), ...(seed !== undefined && { seed: Number(seed) }) };
}

/** Of many cases every so many-th in CI, all of them in a long run. */
export function sample<Case>(cases: readonly Case[], inCi: number): readonly Case[] {
  const step = Math.max(1, Math.floor(cases.length / (inCi * factor)));
  return cases.filter((_, index) => index % step === 0);
}

/** Milliseconds that a test may take. */
export const patience = 120_000 * Math.max(factor, 1);

/** Adds to a figure that `npm run endure` prints. */
export function count(figure: string, amount = 1): void {
  const file = process.env.ATTUNE_FIGURES;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ figure, amount })}\n`);
}

/** A line that `npm run endure` prints as it is. */
export function note(text: string): void {
  const file = process.env.ATTUNE_FIGURES;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ note: text })}\n`);
}
