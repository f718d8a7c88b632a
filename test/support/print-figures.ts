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
  return [
    ...figures.flatMap((entry) => ('note' in entry ? entry.note : [])),
    `faults survived: ${sumOf('faults survived')} of ${sumOf('faults tried')}`,
    `kills survived:  ${sumOf('kills survived')} of ${sumOf('kills tried')}`,
    `inputs tried:    ${sumOf('inputs tried')}`,
  ].join('\n');
}
