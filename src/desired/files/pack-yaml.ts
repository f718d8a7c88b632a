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

/**
 * The data of a file and its offsets, as numbers and tables of what occurs in it. A worker hands it over without a copy
 * of the numbers. `unpackYaml` makes the data of it.
 */
export interface PackedYaml {
  /**
   * The nodes in the order of the file, each with the offset where it starts:
   *
   * - a mapping: `mapping`, start, index of its keys; then, for each key, the offset of the key and the node of its value
   * - a list: `list`, start, number of items; then the nodes of the items
   * - a scalar: `scalar`, start, index of its value
   */
  readonly nodes: Int32Array<ArrayBuffer>;
  /** The keys of mappings. Mappings with the same keys in the same order share them. */
  readonly keys: readonly (readonly string[])[];
  /** The values of scalars, each once. */
  readonly values: readonly (string | number | boolean | null)[];
}

export const nodeKind = { mapping: 0, list: 1, scalar: 2 } as const;

/**
 * Reads a file that has no mistake, no anchor and no tag, with the fastest library. Undefined for other files, which
 * `parseYaml` reads and reports on.
 */
export function packYaml(text: string): PackedYaml | undefined {
  if (text.length > longest || unusual.test(text)) return undefined;
  const events = eventsOf(text);
  // An upper bound of the words and signs that the other reader counts.
  if (!events || 3 * linesOf(text) + 5 * events.length > mostLexemes) return undefined;
  const packing: Packing = {
    ...{ text, events, at: 0, nodes: [] },
    ...{ keys: new Map(), values: new Map() },
  };
  if (!packDocument(packing)) return undefined;
  return {
    nodes: Int32Array.from(packing.nodes),
    keys: [...packing.keys.values()].map(({ names }) => names),
    values: [...packing.values.keys()],
  };
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

interface Packing {
  readonly text: string;
  readonly events: readonly Event[];
  /** The index of the next event. */
  at: number;
  readonly nodes: number[];
  /** By the names in one text. */
  readonly keys: Map<string, { readonly names: readonly string[]; readonly index: number }>;
  /** The index of each value. */
  readonly values: Map<PackedYaml['values'][number], number>;
}

type Scalar = Extract<Event, { valueStart: number }>;
type Collection = Extract<Event, { start: number }>;

/** Packs the mapping of a file with one document. Like all functions below: `false` if this reader does not read it. */
function packDocument(packing: Packing): boolean {
  const [document, root] = packing.events;
  if (document?.type !== EVENT_ID.DOCUMENT || document.directives.length > 0 || document.explicitEnd)
    return false;
  if (root?.type !== EVENT_ID.MAPPING) return false;
  packing.at = 1;
  // The last event closes the document.
  return packValue(packing) && packing.at === packing.events.length - 1;
}

/** @param indicator The offset after the colon before the value. */
function packValue(packing: Packing, indicator?: number): boolean {
  const event = packing.events[packing.at++];
  if (event === undefined || !('tagStart' in event) || event.tagStart >= 0 || event.anchorStart >= 0)
    return false;
  if (event.type === EVENT_ID.MAPPING) return packMapping(packing, event);
  if (event.type === EVENT_ID.SEQUENCE) return packList(packing, event);
  return packScalar(packing, event, indicator);
}

function packMapping(packing: Packing, { start, style }: Collection): boolean {
  const { text, events, nodes } = packing;
  const isBlock = style === COLLECTION_STYLE.BLOCK;
  const names: string[] = [];
  const keysAt = nodes.push(nodeKind.mapping, start, 0) - 1;
  while (events[packing.at]?.type !== EVENT_ID.POP) {
    const key = events[packing.at++];
    if (key?.type !== EVENT_ID.SCALAR || key.tagStart >= 0 || key.anchorStart >= 0 || key.valueStart < 0)
      return false;
    if (isBlock && !beginsLine(text, startOf(key))) return false;
    const name = getScalarValue(text, key);
    const indicator = colonAfter(text, key);
    if (name === '<<' || indicator === undefined) return false;
    names.push(name);
    nodes.push(startOf(key));
    if (!packValue(packing, indicator)) return false;
  }
  packing.at++;
  const index = indexOfKeys(packing, names);
  if (index === undefined) return false;
  nodes[keysAt] = index;
  return true;
}

function packList(packing: Packing, { start, style }: Collection): boolean {
  const { text, events, nodes } = packing;
  const isBlock = style === COLLECTION_STYLE.BLOCK;
  const countAt = nodes.push(nodeKind.list, start, 0) - 1;
  let count = 0;
  while (events[packing.at]?.type !== EVENT_ID.POP) {
    const itemAt = nodes.length;
    if (!packValue(packing)) return false;
    if (isBlock && !beginsLine(text, nodes[itemAt + 1] as number)) return false;
    count++;
  }
  packing.at++;
  nodes[countAt] = count;
  return true;
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

function packScalar(packing: Packing, scalar: Scalar, indicator: number | undefined): boolean {
  const { text, nodes } = packing;
  const { style, valueStart } = scalar;
  const add = (value: PackedYaml['values'][number], start: number) => {
    // A table cannot hold it beside 0.
    if (Object.is(value, -0)) return false;
    nodes.push(nodeKind.scalar, start, indexOfValue(packing, value));
    return true;
  };
  const isBlock = style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK;
  if (valueStart < 0 || isBlock) {
    // Where such a value begins follows from the colon before it.
    if (indicator === undefined) return false;
    let start = indicator;
    while (text[start] === ' ') start++;
    if (!isBlock) return isEmptyAt(text, start) && add(null, start);
    blockHeader.lastIndex = start;
    return blockHeader.test(text) && add(getScalarValue(text, scalar), start);
  }
  const written = getScalarValue(text, scalar);
  return add(style === SCALAR_STYLE.PLAIN ? plainValue(written) : written, startOf(scalar));
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
function plainValue(written: string): PackedYaml['values'][number] {
  if (written !== '' && !notText.test(written)) return written;
  for (const tag of coreTags) {
    const value: unknown = tag.resolve(written, false, tag.tagName);
    if (value !== NOT_RESOLVED) return value as number | boolean | null;
  }
  return written;
}

/** Undefined if a key occurs twice. */
function indexOfKeys({ keys }: Packing, names: readonly string[]): number | undefined {
  const key = names.join('\n');
  const known = keys.get(key);
  if (known) return known.index;
  if (new Set(names).size < names.length) return undefined;
  const index = keys.size;
  keys.set(key, { names, index });
  return index;
}

function indexOfValue({ values }: Packing, value: PackedYaml['values'][number]): number {
  const known = values.get(value);
  if (known !== undefined) return known;
  const index = values.size;
  values.set(value, index);
  return index;
}
