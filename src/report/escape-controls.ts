import { replaceInvisible } from '../model/text.ts';
import { isRecord } from '../model/value.ts';

/**
 * Characters that a terminal acts on or that make text read differently from what it is: C0, DEL and C1 controls, line
 * and paragraph separators, and the marks that turn the direction of text. Also half a character and two codes that are
 * none: no UTF-8, and no XML. Invisible characters are escaped, too.
 */
const controls = /[\p{Cc}\p{Surrogate}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF\uFFFE\uFFFF]/gu;

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Commands of a job log, of which the character that makes it one is escaped: `##[` of GitHub, `##vso[` of Azure and
 * `##teamcity[` anywhere.
 */
const commands = /(?<=##(?:vso|teamcity)?)\[/gi;

/** `::` of GitHub at the beginning of a line. */
const firstCommand = /^\s*:(?=:)/;

/** A command in text that is quoted and therefore begins no line. */
const quotedCommands = /#(?=#(?:vso|teamcity)?\[)/gi;

/** Nothing to escape but a command; this test is fast. */
const printable = /^[\x20-\x7E]*$/;

/** The text on one line with nothing in it that a terminal, a job's log or a reader could take for something else. */
export function escapeControls(text: string): string {
  return spelled(text, escaped)
    .replace(commands, escaped)
    .replace(firstCommand, (begin) => begin.slice(0, -1) + escaped(':'));
}

export function escapeTexts<Data>(data: Data): Data {
  if (typeof data === 'string') return escapeControls(data) as Data;
  if (Array.isArray(data)) return data.map(escapeTexts) as Data;
  if (!isRecord(data)) return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, escapeTexts(value)])) as Data;
}

function spelled(text: string, spell: (character: string) => string): string {
  return printable.test(text) ? text : replaceInvisible(text.replace(controls, spell), spell);
}

function escaped(character: string): string {
  return short[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/**
 * The text of a document whose values are quoted, with escapes in the values: the same data for every reader. Line feeds are
 * part of the document.
 *
 * @param spell How the quotes of the document spell a character.
 */
export function escapeInQuotes(text: string, spell: (character: string) => string): string {
  const kept = (character: string) => (character === '\n' ? character : spell(character));
  return spelled(text, kept).replace(quotedCommands, spell);
}

/**
 * A document as it is printed: the same data, spelled so that no terminal acts on it and no job log takes a part of it
 * for a command.
 */
export function jsonText(document: unknown): string {
  return `${escapeInQuotes(JSON.stringify(document, null, 2), codeUnits)}\n`;
}

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
