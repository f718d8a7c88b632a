export function commandLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** A word as it is typed in a shell: in quotes if the shell would read it otherwise. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A path that no command takes for a flag. */
export function pathWord(path: string): string {
  return path.startsWith('-') ? `./${path}` : path;
}
