import type { SourceLocation } from '../../model/diagnostic.ts';

/** The text of one file with what is needed to point into it. */
export interface Source {
  /** Relative to the root file's folder, with `/`. */
  readonly file: string;
  readonly text: string;
  /** Where each line starts. */
  readonly lineStarts: readonly number[];
  /** The places in a program that made the values at these offsets; empty for files that users write. */
  readonly places: Map<number, SourceLocation>;
}

export function createSource(file: string, text: string): Source {
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  return { file, text, lineStarts, places: new Map() };
}

export function locationAt(source: Source, offset: number): SourceLocation {
  const place = source.places.get(offset);
  if (place) return place;
  let low = 0;
  let high = source.lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((source.lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { file: source.file, line: low + 1, column: offset - (source.lineStarts[low] ?? 0) + 1 };
}

/**
 * The text of a line without its line break. A slice takes no extra memory, however long the line is; printers
 * show the part around the column.
 */
export function lineText({ text, lineStarts }: Source, line: number): string | undefined {
  const start = lineStarts[line - 1];
  // A file that could not be read has an empty text.
  if (start === undefined || text === '') return undefined;
  const next = lineStarts[line];
  const end = next === undefined ? text.length : next - 1;
  return text.slice(start, end > start && text[end - 1] === '\r' ? end - 1 : end);
}

/** The plain scalar that starts at an offset, as it is written: `1.10` where the value is 1.1. */
export function plainTextAt(source: Source, offset: number): string {
  const plain = /[^\s,[\]{}]+/y;
  plain.lastIndex = offset;
  return plain.exec(source.text)?.[0] ?? '';
}

/** The offsets of a key and its value in the text. */
export interface KeyOrigin {
  readonly key: number;
  readonly value: number;
}

/** A mapping of a file: it has no prototype, so that names like `constructor` are absent unless they are written. */
export type RawMapping = Record<string, unknown>;

/** V8 turns each object of `Object.create(null)` into a hash table, which takes several times the memory. */
const MappingData = function MappingData() {} as unknown as { new (): RawMapping };
MappingData.prototype = Object.create(null);

export function emptyMapping(): RawMapping {
  return new MappingData();
}

/** From this number of keys on, a key is found with an index. */
const fewKeys = 16;

/** The origins of the keys of one mapping. There is one for each mapping of all files, so it is compact. */
export class KeyOrigins {
  /** In their order. Mappings with the same keys share the list. */
  readonly names: readonly string[];
  /** Of each key and of its value. */
  readonly #offsets: readonly number[];
  #index: ReadonlyMap<string, number> | undefined;

  constructor(names: readonly string[], offsets: readonly number[]) {
    this.names = names;
    this.#offsets = offsets;
  }

  get(name: string): KeyOrigin | undefined {
    const at = this.#find(name);
    if (at === undefined || at < 0) return undefined;
    const [key = 0, value = 0] = [this.#offsets[2 * at], this.#offsets[2 * at + 1]];
    return { key, value };
  }

  #find(name: string): number | undefined {
    if (this.names.length < fewKeys) return this.names.indexOf(name);
    this.#index ??= new Map(this.names.map((one, index) => [one, index]));
    return this.#index.get(name);
  }
}

/** The offsets of the members of one mapping or list. */
export interface NodeOrigin {
  readonly source: Source;
  /** Where it starts itself. */
  readonly start: number;
  readonly keys?: KeyOrigins;
  readonly items?: readonly number[];
}

/**
 * The text locations of plain data, by the identity of mappings and lists. An anchor's data is shared by all of
 * its aliases and points at the anchor; a key that came in by `<<` points at where it was written.
 */
export type Origins = Map<object, NodeOrigin>;

export function locateKey(origins: Origins, container: object, key: string): SourceLocation {
  const origin = originOf(origins, container);
  return locationAt(origin.source, origin.keys?.get(key)?.key ?? origin.start);
}

export function locateValue(origins: Origins, container: object, key: string | number): SourceLocation {
  const origin = originOf(origins, container);
  return locationAt(origin.source, valueOffset(origin, key));
}

/** The file that a mapping or list was read from. */
export function sourceOf(origins: Origins, container: object): Source {
  return originOf(origins, container).source;
}

export function locateStart(origins: Origins, container: object): SourceLocation {
  const origin = originOf(origins, container);
  return locationAt(origin.source, origin.start);
}

/** Locates the items of a list later. It holds the origin of this list only, so that the others can be freed. */
export function itemLocator(origins: Origins, list: object): (index: number) => SourceLocation {
  const origin = originOf(origins, list);
  return (index) => locationAt(origin.source, valueOffset(origin, index));
}

/** A number or a flag as it is written. */
export function writtenValue(origins: Origins, container: object, key: string | number): string {
  const origin = originOf(origins, container);
  return plainTextAt(origin.source, valueOffset(origin, key));
}

function valueOffset(origin: NodeOrigin, key: string | number): number {
  const offset = typeof key === 'number' ? origin.items?.[key] : origin.keys?.get(key)?.value;
  return offset ?? origin.start;
}

function originOf(origins: Origins, container: object): NodeOrigin {
  const origin = origins.get(container);
  if (!origin) throw new Error('a mapping or list that was not read from a file has no place');
  return origin;
}
