import { nearest } from '../model/text.ts';

/** More words than these are not told in a hint. */
const shortList = 12;

/** A hint for a word that is none of the known ones: the nearest, else all of them where they are few. */
export function suggestion(written: string, known: Iterable<string>): string | undefined {
  const candidates = [...known];
  const best = nearest(written, candidates);
  if (best !== undefined) return `did you mean ${JSON.stringify(best)}?`;
  if (candidates.length === 0 || candidates.length > shortList) return undefined;
  return `write ${listed(candidates)}`;
}

/** `a, b or c`. */
export function listed(words: readonly (string | number | boolean)[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
