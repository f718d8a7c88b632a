import { escapeInQuotes } from './escape-controls.ts';

/**
 * A document as it is printed: the same data, spelled so that no terminal acts on it and no job log takes a part of it
 * for a command.
 */
export function jsonText(document: unknown): string {
  return `${escapeInQuotes(JSON.stringify(document, null, 2), codeUnits)}\n`;
}

/** The same on one line. */
export function jsonLine(document: unknown): string {
  return `${escapeInQuotes(JSON.stringify(document), codeUnits)}\n`;
}

/** JSON knows code units only: a character beyond 16 bits has two. */
function codeUnits(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
