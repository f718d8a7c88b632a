import type { Origin } from './origins.ts';
import type { Source } from './source.ts';

/** The place that {@link readPlainYaml} has come to. */
export interface Reader {
  readonly source: Source;
  readonly text: string;
  readonly origins: Map<object, Origin>;
  at: number;
  /** The column of the line that `at` stands in, at its first character that counts; -1 at the end of the text. */
  indent: number;
  depth: number;
}

/** Thrown to leave; `readPlainYaml` catches it. */
export const notPlain = new Error('more than plain YAML');
const deepest = 20;

/** A key and its colon. What follows is a space or the end of the line, or it is no key. */
export const keyToken = /(?:([A-Za-z0-9_][\w./-]{0,500})|"([^"\\\n]{1,500})"|'([^'\n]{1,500})'):(?=[ \n]|$)/y;

export function leave(): never {
  throw notPlain;
}

/** To the first character that counts after the end of this line. */
export function nextLine(reader: Reader): void {
  const { text } = reader;
  let { at } = reader;
  for (;;) {
    const start = at;
    while (text[at] === ' ') at++;
    const first = text[at];
    if (first !== undefined && first !== '\n' && first !== '#') {
      reader.at = at;
      reader.indent = at - start;
      // A document's start, end or directive.
      if (at === start && /[-.%]/.test(first) && !text.startsWith('- ', at)) leave();
      return;
    }
    const end = text.indexOf('\n', at);
    if (end < 0) {
      reader.at = text.length;
      reader.indent = -1;
      return;
    }
    at = end + 1;
  }
}

/** After a value: nothing but a comment may follow in its line. */
export function endLine(reader: Reader): void {
  const { text } = reader;
  let { at } = reader;
  while (text[at] === ' ') at++;
  const next = text[at];
  if (next === '#' ? text[at - 1] !== ' ' : next !== undefined && next !== '\n') leave();
  const end = text.indexOf('\n', at);
  reader.at = end < 0 ? text.length : end + 1;
  nextLine(reader);
}

export function atLineEnd({ text, at }: Reader): boolean {
  return at >= text.length || text[at] === '\n' || text[at] === '#';
}

export function skipSpaces(reader: Reader): void {
  while (reader.text[reader.at] === ' ') reader.at++;
}

export function match(reader: Reader, token: RegExp): RegExpExecArray | null {
  token.lastIndex = reader.at;
  const found = token.exec(reader.text);
  if (found) reader.at = token.lastIndex;
  return found;
}

export function enter(reader: Reader): void {
  if (++reader.depth > deepest) leave();
}

export function readKey(reader: Reader, known: ReadonlyMap<string, unknown>): string {
  const found = match(reader, keyToken) ?? leave();
  const name = found[1] ?? found[2] ?? found[3] ?? '';
  return known.has(name) ? leave() : name;
}
