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
import { emptyMapping, KeyOrigins, type Mapping, type Origins, type Source } from './source.ts';

/**
 * Reads a file that has no mistake, no anchor and no tag, with the fastest library. It returns the same data and origins as
 * {@link parseYaml} and {@link toPlainData}. Undefined for other files: these functions then read the file, and report what is wrong.
 */
export function readPlainYaml(source: Source, origins: Origins): Mapping | undefined {
  const { text } = source;
  if (text.length > longest || unusual.test(text)) return undefined;
  const events = eventsOf(text);
  // An upper bound of the words and signs that the other reader counts.
  if (!events || 3 * source.lineStarts.length + 5 * events.length > mostLexemes) return undefined;
  const cursor: Cursor = {
    ...{ source, origins, text, events, at: 0 },
    ...{ made: [], names: new Map(), texts: new Map() },
  };
  const data = readDocument(cursor);
  if (data !== undefined) return data;
  for (const container of cursor.made) origins.delete(container);
  return undefined;
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

interface Cursor {
  readonly source: Source;
  readonly origins: Origins;
  readonly text: string;
  readonly events: readonly Event[];
  /** The index of the next event. */
  at: number;
  /** The mappings and lists so far. */
  readonly made: object[];
  /** The keys of mappings, and the strings: equal ones are kept once. */
  readonly names: Map<string, readonly string[]>;
  readonly texts: Map<string, string>;
}

type Scalar = Extract<Event, { valueStart: number }>;

/** Something of the file, and its offset; undefined if this reader does not read it. */
interface Located {
  readonly data: unknown;
  readonly start: number;
}

/** The mapping of a file with one document. */
function readDocument(cursor: Cursor): Mapping | undefined {
  const [document, root] = cursor.events;
  if (document?.type !== EVENT_ID.DOCUMENT || document.directives.length > 0 || document.explicitEnd)
    return undefined;
  if (root?.type !== EVENT_ID.MAPPING) return undefined;
  cursor.at = 1;
  const read = readValue(cursor);
  // The last event closes the document.
  return cursor.at === cursor.events.length - 1 ? (read?.data as Mapping | undefined) : undefined;
}

/** @param indicator The offset after the colon before the value. */
function readValue(cursor: Cursor, indicator?: number): Located | undefined {
  const event = cursor.events[cursor.at++];
  if (event === undefined || !('tagStart' in event) || event.tagStart >= 0 || event.anchorStart >= 0)
    return undefined;
  if (event.type === EVENT_ID.MAPPING) return readMapping(cursor, event);
  if (event.type === EVENT_ID.SEQUENCE) return readList(cursor, event);
  return readScalar(cursor, event, indicator);
}

type Collection = Extract<Event, { start: number }>;

function readMapping(cursor: Cursor, { start, style }: Collection): Located | undefined {
  const { text, events } = cursor;
  const isBlock = style === COLLECTION_STYLE.BLOCK;
  const data = emptyMapping();
  const names: string[] = [];
  const offsets: number[] = [];
  while (events[cursor.at]?.type !== EVENT_ID.POP) {
    const key = events[cursor.at++];
    if (key?.type !== EVENT_ID.SCALAR || key.tagStart >= 0 || key.anchorStart >= 0 || key.valueStart < 0)
      return undefined;
    if (isBlock && !beginsLine(text, startOf(key))) return undefined;
    const name = shared(cursor, getScalarValue(text, key));
    const indicator = colonAfter(text, key);
    if (name in data || name === '<<' || indicator === undefined) return undefined;
    const value = readValue(cursor, indicator);
    if (!value) return undefined;
    data[name] = value.data;
    names.push(name);
    offsets.push(startOf(key), value.start);
  }
  cursor.at++;
  return { data: keepMapping(cursor, data, { start, names, offsets }), start };
}

function readList(cursor: Cursor, { start, style }: Collection): Located | undefined {
  const { text, events } = cursor;
  const isBlock = style === COLLECTION_STYLE.BLOCK;
  const data: unknown[] = [];
  const items: number[] = [];
  while (events[cursor.at]?.type !== EVENT_ID.POP) {
    const item = readValue(cursor);
    if (!item || (isBlock && !beginsLine(text, item.start))) return undefined;
    data.push(item.data);
    items.push(item.start);
  }
  cursor.at++;
  return { data: keepList(cursor, data, { start, items }), start };
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

function readScalar(cursor: Cursor, scalar: Scalar, indicator: number | undefined): Located | undefined {
  const { text } = cursor;
  const { style, valueStart } = scalar;
  const isBlock = style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK;
  if (valueStart < 0 || isBlock) {
    // Where such a value begins follows from the colon before it.
    if (indicator === undefined) return undefined;
    let start = indicator;
    while (text[start] === ' ') start++;
    if (!isBlock) return isEmptyAt(text, start) ? { data: null, start } : undefined;
    blockHeader.lastIndex = start;
    if (!blockHeader.test(text)) return undefined;
    return { data: shared(cursor, getScalarValue(text, scalar)), start };
  }
  const written = getScalarValue(text, scalar);
  const data = style === SCALAR_STYLE.PLAIN ? plainValue(written) : written;
  return { data: typeof data === 'string' ? shared(cursor, data) : data, start: startOf(scalar) };
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
function plainValue(written: string): unknown {
  if (written !== '' && !notText.test(written)) return written;
  for (const tag of coreTags) {
    const value: unknown = tag.resolve(written, false, tag.tagName);
    if (value !== NOT_RESOLVED) return value;
  }
  return written;
}

interface MappingPlaces {
  readonly start: number;
  readonly names: readonly string[];
  readonly offsets: readonly number[];
}

function keepMapping(
  { source, origins, made, names: known }: Cursor,
  data: Mapping,
  { start, names, offsets }: MappingPlaces,
): Mapping {
  const key = names.join('\n');
  const sharedNames = known.get(key) ?? names;
  known.set(key, sharedNames);
  made.push(data);
  // A copy takes only the memory that its items need.
  origins.set(data, { source, start, keys: new KeyOrigins(sharedNames, offsets.slice()) });
  return data;
}

function keepList(
  { source, origins, made }: Cursor,
  data: readonly unknown[],
  { start, items }: { readonly start: number; readonly items: readonly number[] },
): readonly unknown[] {
  const list = data.slice();
  made.push(list);
  origins.set(list, { source, start, items: items.slice() });
  return list;
}

/** Equal text is one string. */
function shared({ texts }: Cursor, text: string): string {
  const known = texts.get(text);
  if (known !== undefined) return known;
  texts.set(text, text);
  return text;
}
