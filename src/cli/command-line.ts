/** A command as it is typed: words that the shell would read otherwise stand in quotes. */
export function commandLine(words: readonly string[]): string {
  return words.map(quoted).join(' ');
}

/** What a command is about, as its words: the files that were named, and the program. */
export function sourceWords(roots: readonly string[], { app }: { readonly app?: string }): readonly string[] {
  return app === undefined ? roots : [...roots, '--app', app];
}

function quoted(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
