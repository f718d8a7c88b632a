import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { recorded } from './recorded.ts';
import { suggest } from './suggest.ts';

/** Prints the script that makes a shell complete. */
export async function completion(shell: 'bash' | 'zsh' | 'fish', io: Io): Promise<number> {
  io.stdout.write(await readFile(new URL(`../../../completions/attune.${shell}`, import.meta.url), 'utf8'));
  return 0;
}

/**
 * Answers such a script: a line that says which paths the shell shall add, then a value per line, with a tab and its
 * description where it has one.
 */
export async function complete(program: Command, words: readonly string[], io: Io): Promise<number> {
  const { paths, values } = await suggest(program, words, () => recorded(io.cwd, Date.now()));
  const lines = values.map(({ value, description }) =>
    description === undefined ? value : `${value}\t${description}`,
  );
  io.stdout.write([paths, ...lines].map((line) => `${line}\n`).join(''));
  return 0;
}
