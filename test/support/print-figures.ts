import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

/** Set-up of the soak tier: prints its seed, gives the tests a file for figures (`cases.ts`), and prints their sums. */
export default function printFigures({ config }: TestProject): () => void {
  const repeat = `ATTUNE_SEED=${config.env.ATTUNE_SEED} npm run test:soak`;
  console.log(`\nRandom seed of this run: ${config.env.ATTUNE_SEED}. To repeat it, run: ${repeat}\n`);
  const folder = mkdtempSync(join(tmpdir(), 'attune-figures-'));
  const file = join(folder, 'figures.jsonl');
  writeFileSync(file, '');
  process.env.ATTUNE_FIGURES = file;
  return () => {
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    rmSync(folder, { recursive: true });
    const figures = figuresText(lines.map((line) => JSON.parse(line)));
    console.log(`\n${[...figures, `seed: ${config.env.ATTUNE_SEED}, repeat with: ${repeat}`].join('\n')}\n`);
  };
}

interface Figure {
  readonly figure: string;
  readonly amount: number;
}

function figuresText(figures: readonly Figure[]): readonly string[] {
  const sumOf = (name: string) =>
    figures.reduce((sum, { figure, amount }) => sum + (figure === name ? amount : 0), 0);
  const survived = (what: string) => {
    const tried = sumOf(`${what} tried`);
    return tried === 0 ? [] : [`${what} survived: ${sumOf(`${what} survived`)} of ${tried}`];
  };
  return [...survived('faults'), ...survived('kills'), `inputs tried: ${sumOf('inputs tried')}`];
}
