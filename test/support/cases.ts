import { appendFileSync } from 'node:fs';
import fc, { type Parameters } from 'fast-check';

/** How many generated cases a property tries in each tier. The soak tier multiplies its number by `ATTUNE_CASES`. */
export interface Amount {
  readonly fast: number;
  readonly soak: number;
}

/** vitest.config.ts sets these variables for each tier. */
const { ATTUNE_SEED: seed, ATTUNE_CASES: factor } = process.env;

/** Whether the soak tier runs, with a drawn seed and with the larger amounts. */
export const isSoak = factor !== undefined;

/** Options for fast-check: the seed of the tier and the number of cases. A number alone is for tests of the soak tier. */
export function cases<T>(amount: number | Amount): Parameters<T> {
  const { fast, soak } = typeof amount === 'number' ? { fast: amount, soak: amount } : amount;
  const numRuns = isSoak ? Math.max(1, Math.round(soak * Number(factor))) : fast;
  count('inputs tried', numRuns);
  return { numRuns, seed: Number(seed) };
}

/** That many cases of a fixed list, spread over all of it. With a large `ATTUNE_CASES` it is the whole list. */
export function sample<Case>(list: readonly Case[], amount: number): readonly Case[] {
  const step = Math.max(1, Math.floor(list.length / (amount * Number(factor ?? 1))));
  return list.filter((_, index) => index % step === 0);
}

/** Adds to a figure that the soak tier prints at its end. */
export function count(figure: string, amount = 1): void {
  const file = process.env.ATTUNE_FIGURES;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ figure, amount })}\n`);
}

/** Faster than the unit `binary`, which lists all of them. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff })
  .map((code) => String.fromCodePoint(code))
  .filter((character) => !/\p{Cs}/u.test(character));
