import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives the tests a file for what they have tried and seen survive (`cases.ts`), and prints the sums at the end. */
export default function printFigures(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'attune-figures-'));
  const file = join(folder, 'figures.jsonl');
  writeFileSync(file, '');
  process.env.ATTUNE_FIGURES = file;
  return () => {
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    rmSync(folder, { recursive: true });
    if (lines.length > 0) console.log(`\n${figuresText(lines.map((line) => JSON.parse(line)))}\n`);
  };
}

type Figure = { readonly note: string } | { readonly figure: string; readonly amount: number };

function figuresText(figures: readonly Figure[]): string {
  const sumOf = (name: string) =>
    figures.reduce((sum, entry) => sum + ('figure' in entry && entry.figure === name ? entry.amount : 0), 0);
  const survived = (what: string) => {
    const tried = sumOf(`${what} tried`);
    return tried === 0 ? [] : [`${what} survived: ${sumOf(`${what} survived`)} of ${tried}`];
  };
  return [
    ...figures.flatMap((entry) => ('note' in entry ? entry.note : [])),
    ...survived('faults'),
    ...survived('kills'),
    `inputs tried: ${sumOf('inputs tried')}`,
  ].join('\n');
}
