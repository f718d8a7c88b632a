import type { KeyOrigin, Origin, Origins } from './origins.ts';
import type { Source } from './source.ts';

/*
 * Most of a large estate is plain YAML: mappings and lists by indentation, short lists and mappings in brackets,
 * values on one line. The YAML library takes three quarters of the time that loading such a file takes, because it
 * builds two trees on the way; reading this part directly takes a tenth of that.
 *
 * The rule is to give up, not to guess: at anything else (anchors, tags, block scalars, values over several lines,
 * escapes, tabs, a key twice, whatever looks odd) the whole file goes to the library, which also words all syntax
 * errors. So what is read here means the same there, data and places alike; a test holds the two against each other.
 */

/** The data of a file of plain YAML. Undefined where it is anything more; then nothing has been recorded. */
export function readPlainYaml(source: Source, origins: Origins): unknown {
  const { text } = source;
  if (unusual.test(text)) return undefined;
  const reader: Reader = { source, text, at: 0, indent: 0, depth: 0, origins: new Map() };
  try {
    nextLine(reader);
    const data = readMapping(reader, reader.indent);
    if (reader.indent >= 0) return undefined;
    for (const [container, origin] of reader.origins) origins.set(container, origin);
    return data;
  } catch (error) {
    if (error !== notPlain) throw error;
    return undefined;
  }
}

interface Reader {
  readonly source: Source;
  readonly text: string;
  readonly origins: Map<object, Origin>;
  at: number;
  /** The column of the line that `at` stands in, at its first character that counts; -1 at the end of the text. */
  indent: number;
  depth: number;
}

/** Thrown to leave; it never gets out of this file. */
const notPlain = new Error('more than plain YAML');
const deepest = 20;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for.
const unusual = /[\u0000-\u0009\u000B-\u001F\u007F-\u00A0\u2028\u2029\uFEFF]/;
/** A key and its colon. What follows is a space or the end of the line, or it is no key. */
const keyToken = /(?:([A-Za-z0-9_][\w./-]{0,500})|"([^"\\\n]{1,500})"|'([^'\n]{1,500})'):(?=[ \n]|$)/y;
const quoted = /"([^"\\\n]*)"|'([^'\n]*)'(?!')/y;
const plainInBrackets = /[A-Za-z0-9_./][\w./ *+-]*/y;

function leave(): never {
  throw notPlain;
}

/** To the first character that counts after the end of this line. */
function nextLine(reader: Reader): void {
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
function endLine(reader: Reader): void {
  const { text } = reader;
  let { at } = reader;
  while (text[at] === ' ') at++;
  const next = text[at];
  if (next === '#' ? text[at - 1] !== ' ' : next !== undefined && next !== '\n') leave();
  const end = text.indexOf('\n', at);
  reader.at = end < 0 ? text.length : end + 1;
  nextLine(reader);
}

function atLineEnd({ text, at }: Reader): boolean {
  return at >= text.length || text[at] === '\n' || text[at] === '#';
}

function skipSpaces(reader: Reader): void {
  while (reader.text[reader.at] === ' ') reader.at++;
}

function match(reader: Reader, token: RegExp): RegExpExecArray | null {
  token.lastIndex = reader.at;
  const found = token.exec(reader.text);
  if (found) reader.at = token.lastIndex;
  return found;
}

function enter(reader: Reader): void {
  if (++reader.depth > deepest) leave();
}

/** The lines of one mapping, from its first key on; `indent` is the column of its keys. */
function readMapping(reader: Reader, indent: number): unknown {
  enter(reader);
  const start = reader.at;
  const data: Record<string, unknown> = Object.create(null);
  const keys = new Map<string, KeyOrigin>();
  do {
    const key = reader.at;
    const name = readKey(reader, keys);
    skipSpaces(reader);
    if (atLineEnd(reader)) {
      endLine(reader);
      keys.set(name, { key, value: reader.at });
      data[name] = readBelow(reader, indent);
    } else {
      keys.set(name, { key, value: reader.at });
      data[name] = readInLine(reader);
      endLine(reader);
    }
  } while (continues(reader, indent));
  reader.origins.set(data, { source: reader.source, start, keys });
  reader.depth--;
  return data;
}

/** The lines of one list, from its first dash on. */
function readList(reader: Reader, indent: number): unknown {
  enter(reader);
  const start = reader.at;
  const data: unknown[] = [];
  const items: number[] = [];
  do {
    reader.at++;
    skipSpaces(reader);
    if (atLineEnd(reader)) {
      endLine(reader);
      if (reader.indent <= indent) leave();
      items.push(reader.at);
      data.push(readBelow(reader, indent));
    } else {
      items.push(reader.at);
      data.push(readItem(reader));
    }
  } while (continues(reader, indent) && atDash(reader));
  reader.origins.set(data, { source: reader.source, start, items });
  reader.depth--;
  return data;
}

/** Whether the next line belongs to the same mapping or list. A deeper one would go on with the value before it. */
function continues({ indent: found }: Reader, indent: number): boolean {
  if (found > indent) leave();
  return found === indent;
}

function readBelow(reader: Reader, indent: number): unknown {
  const { indent: found } = reader;
  if (atDash(reader) && found >= indent) return readList(reader, found);
  return found > indent ? readMapping(reader, found) : leave();
}

function atDash({ text, at }: Reader): boolean {
  return text[at] === '-' && (text[at + 1] === ' ' || text[at + 1] === '\n');
}

/** What stands behind a dash: a value, or a mapping whose further keys stand below its first one. */
function readItem(reader: Reader): unknown {
  keyToken.lastIndex = reader.at;
  if (!keyToken.test(reader.text)) {
    const value = readInLine(reader);
    endLine(reader);
    return value;
  }
  const column = reader.at - (reader.text.lastIndexOf('\n', reader.at) + 1);
  return readMapping(reader, column);
}

function readKey(reader: Reader, known: ReadonlyMap<string, unknown>): string {
  const found = match(reader, keyToken) ?? leave();
  const name = found[1] ?? found[2] ?? found[3] ?? '';
  return known.has(name) ? leave() : name;
}

function readInLine(reader: Reader): unknown {
  const { text, at } = reader;
  switch (text[at]) {
    case '"':
    case "'":
      return readQuoted(reader);
    case '[':
      return readBracketList(reader);
    case '{':
      return readBracketMapping(reader);
    default:
      return plainValue(readPlainLine(reader));
  }
}

/** What stands in the line up to a comment. */
function readPlainLine(reader: Reader): string {
  const { text, at } = reader;
  if (!/[A-Za-z0-9_./(]/.test(text[at] ?? '')) leave();
  const end = text.indexOf('\n', at);
  const line = text.slice(at, end < 0 ? text.length : end);
  const comment = line.indexOf(' #');
  const value = comment < 0 ? line : line.slice(0, comment);
  if (value.includes(': ') || value.trimEnd().endsWith(':')) leave();
  reader.at += value.length;
  return value;
}

function readInBrackets(reader: Reader): unknown {
  const first = reader.text[reader.at] ?? leave();
  if (/["'[{]/.test(first)) return readInLine(reader);
  return plainValue((match(reader, plainInBrackets) ?? leave())[0]);
}

function readQuoted(reader: Reader): string {
  const found = match(reader, quoted) ?? leave();
  return found[1] ?? found[2] ?? '';
}

function readBracketList(reader: Reader): unknown {
  enter(reader);
  const start = reader.at;
  const data: unknown[] = [];
  const items: number[] = [];
  while (nextInBrackets(reader, ']', data.length === 0)) {
    items.push(reader.at);
    data.push(readInBrackets(reader));
  }
  reader.origins.set(data, { source: reader.source, start, items });
  reader.depth--;
  return data;
}

function readBracketMapping(reader: Reader): unknown {
  enter(reader);
  const start = reader.at;
  const data: Record<string, unknown> = Object.create(null);
  const keys = new Map<string, KeyOrigin>();
  while (nextInBrackets(reader, '}', keys.size === 0)) {
    const key = reader.at;
    const name = readKey(reader, keys);
    skipSpaces(reader);
    keys.set(name, { key, value: reader.at });
    data[name] = readInBrackets(reader);
  }
  reader.origins.set(data, { source: reader.source, start, keys });
  reader.depth--;
  return data;
}

/** Goes over the opening bracket or the comma. False at the closing bracket, which it goes over too. */
function nextInBrackets(reader: Reader, close: string, first: boolean): boolean {
  if (first) reader.at++;
  skipSpaces(reader);
  if (reader.text[reader.at] === close) {
    reader.at++;
    return false;
  }
  if (first) return true;
  if (reader.text[reader.at] !== ',') leave();
  reader.at++;
  skipSpaces(reader);
  return true;
}

/** What the core schema makes of a plain value. Numbers other than short whole ones are left to the library. */
function plainValue(written: string): unknown {
  const text = written.trimEnd();
  switch (text) {
    case 'true':
      return true;
    case 'false':
      return false;
    case 'null':
      return null;
  }
  if (/^(?:null|true|false)$/i.test(text)) leave();
  if (!/^[\d.]/.test(text)) return text;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  if (!Number.isNaN(Number(text)) || /^(?:0[ox]|\.(?:inf|nan)$)/i.test(text)) leave();
  return text;
}
