import {
  boolCoreTag,
  COLLECTION_STYLE,
  EVENT_ID,
  type Event,
  floatCoreTag,
  getScalarValue,
  intCoreTag,
  NOT_RESOLVED,
  nullCoreTag,
  parseEvents,
  SCALAR_STYLE,
} from 'js-yaml';
import { emptyMapping, type NodeOrigin, type Origins, type RawMapping, type Source } from './source.ts';

type Scalar = Extract<Event, { valueStart: number }>;
type Collection = Extract<Event, { start: number }>;
type Value = string | number | boolean | null;

/** The result of everything below for what this reader does not read. */
const unread = Symbol('unread');
type Unread = typeof unread;

/**
 * Makes the data of a file that has no mistake, no anchor and no tag, and its origins, with the fastest library. Undefined for
 * other files: {@link parseYaml} and {@link toPlainData} make the same data of any file, and report what is wrong. Equal keys and
 * strings share their memory.
 */
export function readPlainYaml(source: Source, origins: Origins): RawMapping | undefined {
  const { text } = source;
  if (text.length > longest || unusual.test(text)) return undefined;
  const events = eventsOf(text);
  // An upper bound of the words and signs that the other reader counts.
  if (!events || 3 * linesOf(text) + 5 * events.length > mostLexemes) return undefined;
  const found = new Map<object, NodeOrigin>();
  const data = readDocument({
    source,
    text,
    events,
    origins: found,
    at: 0,
    start: 0,
    names: new Map(),
    values: new Map(),
  });
  if (data === unread) return undefined;
  for (const [container, origin] of found) origins.set(container, origin);
  return data;
}

/** The events of a longer file would take too much memory. */
const longest = 8 * 1024 * 1024;
const mostLexemes = 5_000_000;
const deepest = 20;

/** Tabs, control characters, separators of lines and ends of documents, which the libraries treat differently. */
const unusual = /[^\n\r\x20-\x7e\u00a1-\u2027\u2030-\ufefe]|\r(?!\n)|^\.\.\./m;

function eventsOf(text: string): readonly Event[] | undefined {
  try {
    return parseEvents(text, { maxDepth: deepest });
  } catch {
    return undefined;
  }
}

function linesOf(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

interface Cursor {
  readonly source: Source;
  readonly text: string;
  readonly events: readonly Event[];
  readonly origins: Map<object, NodeOrigin>;
  /** The index of the next event. */
  at: number;
  /** The offset where the value that was read last begins. */
  start: number;
  /** The keys of mappings, by their names in one text. Mappings with the same keys in the same order share them. */
  readonly names: Map<string, readonly string[]>;
  /** The scalars, each once. */
  readonly values: Map<Value, Value>;
}

/** Reads the mapping of a file with one document. */
function readDocument(cursor: Cursor): RawMapping | Unread {
  const [document, root] = cursor.events;
  if (document?.type !== EVENT_ID.DOCUMENT || document.directives.length > 0 || document.explicitEnd)
    return unread;
  if (root?.type !== EVENT_ID.MAPPING) return unread;
  cursor.at = 1;
  const data = readValue(cursor);
  // The last event closes the document.
  return cursor.at === cursor.events.length - 1 ? (data as RawMapping | Unread) : unread;
}

/** @param indicator The offset after the colon before the value. */
function readValue(cursor: Cursor, indicator?: number): unknown {
  const event = cursor.events[cursor.at++];
  if (event === undefined || !('tagStart' in event) || event.tagStart >= 0 || event.anchorStart >= 0)
    return unread;
  if (event.type === EVENT_ID.MAPPING) return readMapping(cursor, event);
  if (event.type === EVENT_ID.SEQUENCE) return readList(cursor, event);
  return readScalar(cursor, event, indicator);
}

function readMapping(cursor: Cursor, { start, style }: Collection): RawMapping | Unread {
  const { text, events, source } = cursor;
  const isBlock = style === COLLECTION_STYLE.BLOCK;
  const data = emptyMapping();
  const names: string[] = [];
  const offsets: number[] = [];
  while (events[cursor.at]?.type !== EVENT_ID.POP) {
    const key = events[cursor.at++];
    if (key?.type !== EVENT_ID.SCALAR || key.tagStart >= 0 || key.anchorStart >= 0 || key.valueStart < 0)
      return unread;
    if (isBlock && !beginsLine(text, startOf(key))) return unread;
    const name = getScalarValue(text, key);
    const indicator = colonAfter(text, key);
    if (name === '<<' || indicator === undefined) return unread;
    const value = readValue(cursor, indicator);
    if (value === unread) return unread;
    names.push(name);
    offsets.push(startOf(key), cursor.start);
    data[name] = value;
  }
  cursor.at++;
  const shared = sharedNames(cursor, names);
  if (!shared) return unread;
  cursor.origins.set(data, { source, start, names: shared, offsets });
  cursor.start = start;
  return data;
}

function readList(cursor: Cursor, { start, style }: Collection): readonly unknown[] | Unread {
  const { text, events, source } = cursor;
  const isBlock = style === COLLECTION_STYLE.BLOCK;
  const list: unknown[] = [];
  const offsets: number[] = [];
  while (events[cursor.at]?.type !== EVENT_ID.POP) {
    const value = readValue(cursor);
    if (value === unread || (isBlock && !beginsLine(text, cursor.start))) return unread;
    list.push(value);
    offsets.push(cursor.start);
  }
  cursor.at++;
  const data = list.slice();
  cursor.origins.set(data, { source, start, offsets });
  cursor.start = start;
  return data;
}

/** Whether only the signs of lists come before it on the line. The library does not see all other mistakes there. */
function beginsLine(text: string, offset: number): boolean {
  for (let at = offset - 1; at >= 0 && text[at] !== '\n'; at--) {
    if (text[at] !== ' ' && text[at] !== '-') return false;
  }
  return true;
}

/** The offset after the colon of a key on one line. */
function colonAfter(text: string, key: Scalar): number | undefined {
  let at = isQuoted(key) ? key.valueEnd + 1 : key.valueEnd;
  while (text[at] === ' ') at++;
  return text[at] === ':' ? at + 1 : undefined;
}

function isQuoted({ style }: Scalar): boolean {
  return style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED;
}

function startOf(scalar: Scalar): number {
  return isQuoted(scalar) ? scalar.valueStart - 1 : scalar.valueStart;
}

function readScalar(cursor: Cursor, scalar: Scalar, indicator: number | undefined): Value | Unread {
  const { text } = cursor;
  const { style, valueStart } = scalar;
  const isBlock = style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK;
  if (valueStart < 0 || isBlock) {
    // Where such a value begins follows from the colon before it.
    if (indicator === undefined) return unread;
    cursor.start = indicator;
    while (text[cursor.start] === ' ') cursor.start++;
    if (!isBlock) return isEmptyAt(text, cursor.start) ? null : unread;
    blockHeader.lastIndex = cursor.start;
    return blockHeader.test(text) ? sharedValue(cursor, getScalarValue(text, scalar)) : unread;
  }
  cursor.start = startOf(scalar);
  const written = getScalarValue(text, scalar);
  const value = style === SCALAR_STYLE.PLAIN ? plainValue(written) : written;
  return value === unread ? unread : sharedValue(cursor, value);
}

/** The libraries treat trailing line breaks and spaces differently with other indicators. */
const blockHeader = /[|>]-?(?=[ \r\n])/y;

/** Whether nothing but a comment follows on the line. */
function isEmptyAt(text: string, at: number): boolean {
  return at >= text.length || text[at] === '\n' || text[at] === '\r' || text[at] === '#';
}

const coreTags = [nullCoreTag, boolCoreTag, intCoreTag, floatCoreTag];
const notText = /^[-+.0-9~nNtTfF]/;

/** The value of text without quotes, by the core schema of YAML. */
function plainValue(written: string): Value | Unread {
  if (written !== '' && !notText.test(written)) return written;
  for (const tag of coreTags) {
    const value: unknown = tag.resolve(written, false, tag.tagName);
    if (value !== NOT_RESOLVED) return value as number | boolean | null;
  }
  // A number that is too large is text for this library, and a number in the core schema.
  return Math.abs(Number(written)) === Number.POSITIVE_INFINITY ? unread : written;
}

/** Undefined if a key occurs twice. */
function sharedNames({ names: all }: Cursor, names: readonly string[]): readonly string[] | undefined {
  const key = names.join('\n');
  const known = all.get(key);
  if (known) return known;
  if (new Set(names).size < names.length) return undefined;
  all.set(key, names);
  return names;
}

function sharedValue({ values }: Cursor, value: Value): Value {
  // A map does not distinguish it from 0.
  if (Object.is(value, -0)) return value;
  const known = values.get(value);
  if (known !== undefined) return known;
  values.set(value, value);
  return value;
}
