import type { KeyOrigin } from './origins.ts';
import { enter, leave, match, type Reader, readKey, skipSpaces } from './plain-reader.ts';

const quoted = /"([^"\\\n]*)"|'([^'\n]*)'(?!')/y;
const plainInBrackets = /[A-Za-z0-9_./][\w./ *+-]*/y;

/** A value that stands in one line: text, a number, a flag, or brackets with such values. */
export function readInLine(reader: Reader): unknown {
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
