/** A command as it is typed. */
export function commandLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** A word as it is typed in a shell: in quotes if the shell would read it otherwise. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** The words of a command that name what it works on: its files and its program. */
export function sourceWords(roots: readonly string[], { app }: { readonly app?: string }): readonly string[] {
  return app === undefined ? roots : [...roots, '--app', app];
}
