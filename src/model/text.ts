import { distance } from 'fastest-levenshtein';

const mostCandidates = 5000;
const longestWritten = 200;

export function nearest(written: string, candidates: Iterable<string>): string | undefined {
  if (written.length > longestWritten) return undefined;
  const { length } = written;
  // Two for a word, because swapped letters count as two; none for a single letter, which is near every other.
  const most = Math.max(Math.min(2, Math.floor(length / 2)), Math.floor(length / 3));
  const lower = written.toLowerCase();
  let best: string | undefined;
  let bestDistance = most + 1;
  let seen = 0;
  for (const candidate of candidates) {
    if (++seen > mostCandidates) break;
    if (Math.abs(candidate.length - written.length) >= bestDistance) continue;
    const other = candidate.toLowerCase();
    let same = 0;
    while (same < lower.length && lower[same] === other[same]) same += 1;
    // Names of one organization often begin alike, and the distance takes the product of both lengths.
    const letters = distance(lower.slice(same), other.slice(same));
    if (letters < bestDistance) {
      best = candidate;
      bestDistance = letters;
    }
  }
  return best;
}

export function hintAt(written: string, names: Iterable<string>, otherwise: string): string {
  const near = nearest(written, names);
  return near === undefined || near === written ? otherwise : `did you mean "${near}"?`;
}

export function firstNames(names: readonly string[], most: number): string {
  const rest = names.length - most;
  return `${names.slice(0, most).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Invisible characters: fillers, zero-width and default-ignorable ones, except joiners and selectors inside an emoji. */
const invisibleSource =
  '(?![\\uFE0F\\u200D])\\p{Default_Ignorable_Code_Point}' +
  '|(?<!\\p{Extended_Pictographic})\\uFE0F' +
  '|(?<!\\p{Extended_Pictographic}[\\uFE0F\\u{1F3FB}-\\u{1F3FF}]?)\\u200D|\\u200D(?!\\p{Extended_Pictographic})' +
  '|[\\u2800\\uFFF9-\\uFFFB]';

let invisible: RegExp | undefined;

/** Built when it is needed: that takes longer than most commands take to print. */
function invisibleCharacters(): RegExp {
  invisible ??= new RegExp(invisibleSource, 'gu');
  return invisible;
}

/** Most texts are plain ASCII, and this test is fast. */
const ascii = /^[\p{ASCII}]*$/u;

export function replaceInvisible(text: string, replacement: (character: string) => string): string {
  return ascii.test(text) ? text : text.replace(invisibleCharacters(), replacement);
}

/** Why a name can be mistaken for another one; `undefined` if it cannot. */
export function unclearText(text: string): string | undefined {
  if (ascii.test(text)) return undefined;
  const [hidden] = text.match(invisibleCharacters()) ?? [];
  if (hidden !== undefined) return `has an invisible character, ${codePoint(hidden)}`;
  const [space] = /(?! )\p{Z}/u.exec(text) ?? [];
  if (space !== undefined) return `has a character that only looks like a space, ${codePoint(space)}`;
  const [alike] = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Cherokee}]/u.exec(text) ?? [];
  if (alike === undefined || !/\p{Script=Latin}/u.test(text)) return undefined;
  return `mixes Latin letters with "${alike}", which can look like one and is ${codePoint(alike)}`;
}

export function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

export function signedEntries(added: readonly string[] = [], removed: readonly string[] = []): string[] {
  return [...added.map((entry) => `+${entry}`), ...removed.map((entry) => `-${entry}`)];
}

const longest = 80;

/** A value from a file for a message: in quotes, without line breaks, and not longer than helps. */
export function quote(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'a mapping';
  if (typeof value === 'number') return String(value);
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > longest ? `${text.slice(0, longest)}..."` : text;
}

const shortList = 12;

export function suggestion(written: string, known: Iterable<string>): string | undefined {
  const candidates = [...known];
  const best = nearest(written, candidates);
  if (best !== undefined) return `did you mean ${JSON.stringify(best)}?`;
  if (candidates.length === 0 || candidates.length > shortList) return undefined;
  return `write ${listed(candidates)}`;
}

export function listed(words: readonly (string | number | boolean)[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

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
