import { replaceInvisible } from '../model/unclear-text.ts';

/** C0 is escaped by JSON itself; these a terminal acts on too, or they turn the direction of text. Invisible characters are escaped, too. */
const controls = /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF\uFFFE\uFFFF]/g;

/**
 * A document as it is printed: the same data, spelled so that no terminal acts on it and no job log takes a part of it
 * for a command.
 */
export function jsonText(document: unknown): string {
  const text = JSON.stringify(document, null, 2).replaceAll('##[', '#\\u0023[').replace(controls, escaped);
  return `${replaceInvisible(text, escaped)}\n`;
}

/** JSON knows code units only: a character beyond 16 bits has two. */
function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
