import type { RunOptions } from './context.ts';

export function commandLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** A word as it is typed in a shell: in quotes if the shell would read it otherwise. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

export function limitWords({ maxDeletes, maxRevokes, maxUpdates }: RunOptions): string[] {
  const flags = { '--max-deletes': maxDeletes, '--max-revokes': maxRevokes, '--max-updates': maxUpdates };
  return Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [flag, String(value)]));
}

/** A path that no command takes for a flag. */
export function pathWord(path: string): string {
  return path.startsWith('-') ? `./${path}` : path;
}

export function sourceWords(
  roots: readonly string[],
  { app, policy = [] }: { readonly app?: string; readonly policy?: readonly string[] },
): readonly string[] {
  const files = policy.flatMap((file) => ['--policy', file]);
  return [...roots.map(pathWord), ...(app === undefined ? [] : ['--app', app]), ...files];
}
