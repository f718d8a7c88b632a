import { emptyMapping, KeyOrigins, type Mapping, type Origins, type Source } from './source.ts';

/**
 * Reads a file in the plain style that nearly all configurations have: block mappings and lists with one value per line,
 * and lists and mappings in brackets that end on their line. It returns the same data and origins as the YAML library and
 * {@link toPlainData}, 20 times faster. Undefined for every other style and for every mistake: the library then reads the
 * file, and reports what is wrong.
 *
 * A style is added here only with a rule that rejects all that the library might read differently.
 */
export function readPlainYaml(source: Source, origins: Origins): Mapping | undefined {
  if (unusual.test(source.text)) return undefined;
  const cursor: Cursor = {
    ...{ source, origins, text: source.text, at: 0, column: 0, depth: 0 },
    ...{ cost: 3 * source.lineStarts.length, made: [], names: new Map(), texts: new Map() },
  };
  nextLine(cursor);
  skipDocumentStart(cursor);
  const data = cursor.column === 0 ? readMapping(cursor) : undefined;
  // -1 is the end of the file.
  if (data !== undefined && cursor.column === -1) return data;
  for (const container of cursor.made) origins.delete(container);
  return undefined;
}

interface Cursor {
  readonly source: Source;
  readonly origins: Origins;
  readonly text: string;
  /** The offset of the next character, and its column where it is the first one of a line; -1 at the end of the file. */
  at: number;
  column: number;
  depth: number;
  /** An upper bound of the words and signs that the YAML library would count. */
  cost: number;
  /** The mappings and lists so far. */
  readonly made: object[];
  /** The keys of mappings, and the strings: equal ones are kept once. */
  readonly names: Map<string, readonly string[]>;
  readonly texts: Map<string, string>;
}

/** Tabs, carriage returns, control characters and separators of lines, which have separate rules. */
const unusual = /[^\n\x20-\x7e\u00a1-\u2027\u2030-\ufefe]/;
const deepest = 20;
/** Below the limit of the library's reader, so that a file with too many values is reported by it. */
const highestCost = 5_000_000;

const [space, newline, hash, dash, colon, comma] = codes('\x20\n#-:,');
const [quote, apostrophe, listStart, listEnd, mappingStart, mappingEnd] = codes('"\'[]{}');

function codes(characters: string): number[] & { readonly [index: number]: number } {
  return [...characters].map((character) => character.charCodeAt(0));
}

/** Moves to the first character of the next line that is neither empty nor a comment. */
function nextLine(cursor: Cursor): void {
  const { text } = cursor;
  let { at } = cursor;
  for (;;) {
    const start = at;
    while (text.charCodeAt(at) === space) at++;
    if (at >= text.length) break;
    const code = text.charCodeAt(at);
    if (code !== newline && code !== hash) {
      cursor.at = at;
      cursor.column = at - start;
      return;
    }
    const end = text.indexOf('\n', at);
    if (end < 0) break;
    at = end + 1;
  }
  cursor.at = text.length;
  cursor.column = -1;
}

function skipDocumentStart(cursor: Cursor): void {
  if (cursor.column !== 0 || !cursor.text.startsWith('---', cursor.at)) return;
  cursor.at += 3;
  if (!isLineEnd(cursor)) cursor.column = 1;
  else nextLine(cursor);
}

/** Whether only spaces or a comment follow on the line. Moves to the next line then. */
function isLineEnd(cursor: Cursor): boolean {
  const { text } = cursor;
  let { at } = cursor;
  while (text.charCodeAt(at) === space) at++;
  const code = text.charCodeAt(at);
  const isComment = code === hash && at > cursor.at;
  if (at < text.length && code !== newline && !isComment) return false;
  const end = text.indexOf('\n', at);
  cursor.at = end < 0 ? text.length : end + 1;
  return true;
}

const blockKey = /[A-Za-z0-9_][A-Za-z0-9_./-]{0,200}:(?=[ \n]|$)/y;

/** Reads the mapping whose first key is at the cursor. */
function readMapping(cursor: Cursor): Mapping | undefined {
  const { text, at: start, column } = cursor;
  if (!enter(cursor)) return undefined;
  const data = emptyMapping();
  const names: string[] = [];
  const offsets: number[] = [];
  while (cursor.column === column) {
    const offset = cursor.at;
    blockKey.lastIndex = offset;
    if (!blockKey.test(text)) return undefined;
    const name = shared(cursor, text.slice(offset, blockKey.lastIndex - 1));
    if (name in data) return undefined;
    cursor.at = blockKey.lastIndex;
    const value = isLineEnd(cursor) ? readBelow(cursor, column) : readInline(cursor);
    // A value that continues below, as text of several lines does.
    if (value === undefined || cursor.column > column) return undefined;
    data[name] = value.data;
    names.push(name);
    offsets.push(offset, value.start);
  }
  cursor.depth--;
  return keepMapping(cursor, data, { start, names, offsets });
}

interface Located {
  readonly data: unknown;
  readonly start: number;
}

/** The mapping or list on the lines below a key. */
function readBelow(cursor: Cursor, column: number): Located | undefined {
  nextLine(cursor);
  const { at: start } = cursor;
  const isList = isItem(cursor);
  if (cursor.column < column || (cursor.column === column && !isList)) return undefined;
  const data = isList ? readList(cursor) : readMapping(cursor);
  return data && { data, start };
}

function isItem({ text, at }: Cursor): boolean {
  return text.charCodeAt(at) === dash && text.charCodeAt(at + 1) === space;
}

/** Reads the list whose first dash is at the cursor. */
function readList(cursor: Cursor): readonly unknown[] | undefined {
  const { at: start, column } = cursor;
  if (!enter(cursor)) return undefined;
  const data: unknown[] = [];
  const items: number[] = [];
  while (cursor.column === column && isItem(cursor)) {
    cursor.at++;
    const value = readInline(cursor);
    if (value === undefined || cursor.column > column) return undefined;
    data.push(value.data);
    items.push(value.start);
  }
  cursor.depth--;
  return keepList(cursor, data, { start, items });
}

/** Reads the value that is on the rest of the line, and moves to the next line. */
function readInline(cursor: Cursor): Located | undefined {
  while (cursor.text.charCodeAt(cursor.at) === space) cursor.at++;
  const { at: start } = cursor;
  const read = readValue(cursor, readBlockText);
  if (!read || !isLineEnd(cursor)) return undefined;
  nextLine(cursor);
  return { data: read.value, start };
}

interface Read {
  readonly value: unknown;
}

/** Quoted text, a list or mapping in brackets, or other text. */
function readValue(cursor: Cursor, readText: (cursor: Cursor) => Read | undefined): Read | undefined {
  switch (cursor.text.charCodeAt(cursor.at)) {
    case quote:
      return readQuoted(cursor, '"');
    case apostrophe:
      return readQuoted(cursor, "'");
    case listStart:
      return readFlowList(cursor);
    case mappingStart:
      return readFlowMapping(cursor);
    default:
      return readText(cursor);
  }
}

/** Without escapes. */
function readQuoted(cursor: Cursor, mark: '"' | "'"): Read | undefined {
  const { text, at } = cursor;
  const end = text.indexOf(mark, at + 1);
  if (end < 0 || text.charCodeAt(end + 1) === text.charCodeAt(end)) return undefined;
  const value = text.slice(at + 1, end);
  if (value.includes('\n') || (mark === '"' && value.includes('\\'))) return undefined;
  cursor.at = end + 1;
  cursor.cost += 4;
  return { value: shared(cursor, value) };
}

const blockTextStart = /[A-Za-z0-9_./$(+~<=^;\u00a1-\ufefe]|-[A-Za-z0-9.]/y;

/** Text without quotes: to the end of the line, or to a comment. */
function readBlockText(cursor: Cursor): Read | undefined {
  const { text, at } = cursor;
  blockTextStart.lastIndex = at;
  if (!blockTextStart.test(text)) return undefined;
  const lineEnd = text.indexOf('\n', at);
  const line = text.slice(at, lineEnd < 0 ? text.length : lineEnd);
  const comment = line.indexOf(' #');
  let length = comment < 0 ? line.length : comment;
  while (line.charCodeAt(length - 1) === space) length--;
  const written = line.slice(0, length);
  if (written.includes(': ') || written.charCodeAt(written.length - 1) === colon) return undefined;
  cursor.at = at + length;
  return plainValue(cursor, written);
}

const words: ReadonlyMap<string, boolean | null> = new Map([
  ...['~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
]);
const decimal = /^[-+]?(?:[0-9]{1,15}|[0-9]{1,15}\.[0-9]{0,15})$/;
/** May be a number in another notation. */
const otherNumber = /^[-+]?(?:[0-9.]+$|[0-9.]+[eE]|0[ox]|\.(?:inf|nan)$)/i;

/** The type of text without quotes, by the core schema of YAML. */
function plainValue(cursor: Cursor, written: string): Read | undefined {
  cursor.cost += 4;
  const word = words.get(written);
  if (word !== undefined) return { value: word };
  const first = written.charCodeAt(0);
  // Up to `9`: a sign, a dot or a digit.
  if (first <= 57) {
    if (decimal.test(written)) return { value: Number(written) };
    if (otherNumber.test(written)) return undefined;
  }
  return { value: shared(cursor, written) };
}

/** Text in brackets: no colons, and no comments. */
const flowText =
  /(?:[A-Za-z0-9_./~]|-(?=[A-Za-z0-9]))[A-Za-z0-9_./$+~<>=^*()-]*(?: [A-Za-z0-9_./$+~<>=^*()-]+)*(?= *[,\]}])/y;

function readFlowText(cursor: Cursor): Read | undefined {
  const { text, at } = cursor;
  flowText.lastIndex = at;
  if (!flowText.test(text)) return undefined;
  cursor.at = flowText.lastIndex;
  return plainValue(cursor, text.slice(at, cursor.at));
}

function readFlowValue(cursor: Cursor): Located | undefined {
  const { at: start } = cursor;
  const read = readValue(cursor, readFlowText);
  if (read) skipSpaces(cursor);
  return read && { data: read.value, start };
}

function skipSpaces(cursor: Cursor): number {
  while (cursor.text.charCodeAt(cursor.at) === space) cursor.at++;
  return cursor.text.charCodeAt(cursor.at);
}

function readFlowList(cursor: Cursor): Read | undefined {
  const { text, at: start } = cursor;
  if (!enter(cursor)) return undefined;
  const data: unknown[] = [];
  const items: number[] = [];
  cursor.at++;
  for (let isFirst = true; ; isFirst = false) {
    if (skipSpaces(cursor) === listEnd && isFirst) break;
    const item = readFlowValue(cursor);
    if (!item) return undefined;
    data.push(item.data);
    items.push(item.start);
    const code = text.charCodeAt(cursor.at);
    if (code === listEnd) break;
    if (code !== comma) return undefined;
    cursor.at++;
  }
  cursor.at++;
  cursor.depth--;
  return { value: keepList(cursor, data, { start, items }) };
}

const flowKey = /[A-Za-z_][A-Za-z0-9_./-]{0,200}:(?= )/y;

function readFlowMapping(cursor: Cursor): Read | undefined {
  const { text, at: start } = cursor;
  if (!enter(cursor)) return undefined;
  const data = emptyMapping();
  const names: string[] = [];
  const offsets: number[] = [];
  cursor.at++;
  for (let isFirst = true; ; isFirst = false) {
    if (skipSpaces(cursor) === mappingEnd && isFirst) break;
    const offset = cursor.at;
    flowKey.lastIndex = offset;
    if (!flowKey.test(text)) return undefined;
    const name = shared(cursor, text.slice(offset, flowKey.lastIndex - 1));
    cursor.at = flowKey.lastIndex;
    skipSpaces(cursor);
    const value = name in data ? undefined : readFlowValue(cursor);
    if (!value) return undefined;
    data[name] = value.data;
    names.push(name);
    offsets.push(offset, value.start);
    const code = text.charCodeAt(cursor.at);
    if (code === mappingEnd) break;
    if (code !== comma) return undefined;
    cursor.at++;
  }
  cursor.at++;
  cursor.depth--;
  return { value: keepMapping(cursor, data, { start, names, offsets }) };
}

/** Counts a mapping or list, and whether the limits allow it. */
function enter(cursor: Cursor): boolean {
  cursor.depth++;
  cursor.cost += 4;
  return cursor.depth <= deepest && cursor.cost <= highestCost;
}

function keepMapping(
  { source, origins, made, names: known }: Cursor,
  data: Mapping,
  {
    start,
    names,
    offsets,
  }: { readonly start: number; readonly names: readonly string[]; readonly offsets: readonly number[] },
): Mapping {
  const key = names.join(' ');
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
