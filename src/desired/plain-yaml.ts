import type { KeyOrigin, Origins } from './origins.ts';
import { readInLine } from './plain-in-line.ts';
import {
  atLineEnd,
  endLine,
  enter,
  keyToken,
  leave,
  nextLine,
  notPlain,
  type Reader,
  readKey,
  skipSpaces,
} from './plain-reader.ts';
import type { Source } from './source.ts';

/*
 * Most of a large estate is plain YAML: mappings and lists by indentation, short lists and mappings in brackets,
 * values on one line. The YAML library alone takes two thirds of the time that loading such a file takes, because it
 * builds two trees on the way; reading this part directly takes a tenth of that.
 *
 * The rule is to give up, not to guess: at anything else (anchors, tags, block scalars, values over several lines,
 * escapes, tabs, a key twice, whatever looks odd) the whole file goes to the library, which also words all syntax
 * errors. So what is read here means the same there, data and places alike; a test holds the two against each other.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for.
const unusual = /[\u0000-\u0009\u000B-\u001F\u007F-\u00A0\u2028\u2029\uFEFF]/;

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
