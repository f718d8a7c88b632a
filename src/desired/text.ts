import type { Subject } from '../model/diagnostic.ts';
import { nearest, unclearText } from '../model/text.ts';
import type { Problems } from './problems.ts';

const longest = 80;

/** A value from a file for a message: in quotes, without line breaks, and not longer than helps. */
export function quote(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'a mapping';
  if (typeof value === 'number') return String(value);
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > longest ? `${text.slice(0, longest)}..."` : text;
}

/** The maximum number of words in a hint. */
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

/** Warns about a name that can be mistaken for another one. */
export function checkText(
  what: string,
  text: string,
  { problems, ...place }: Subject & { readonly problems: Problems },
): void {
  const unclear = unclearText(text);
  if (!unclear) return;
  problems.warning(unclear.code, `${what} ${quote(text)} ${unclear.why}`, {
    at: place,
    hint: 'type the name again, or copy it from the service',
  });
}
