import type { SourceLocation } from '../../model/diagnostic.ts';

export interface Source {
  readonly file: string;
  readonly text: string;
  readonly lineStarts: Uint32Array;
  /** The places in a program that made the values at these offsets; empty for files that users write. */
  readonly places: Map<number, SourceLocation>;
}

export function createSource(file: string, text: string): Source {
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  return { file, text, lineStarts: Uint32Array.from(lineStarts), places: new Map() };
}

/** The SHA-256 of texts: each is hashed on its own, so that text which moves from one to the next changes the digest. */
export function digestOf(texts: readonly string[]): string {
  // `validate` needs none, and its start is measured.
  const { createHash } = process.getBuiltinModule('node:crypto');
  const all = createHash('sha256');
  for (const text of texts) all.update(createHash('sha256').update(text).digest());
  return all.digest('hex');
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

/** A mapping of a file: it has no prototype, so that names like `constructor` are absent unless they are written. */
export type RawMapping = Record<string, unknown>;

/** V8 turns each object of `Object.create(null)` into a hash table, which takes several times the memory. */
const MappingData = function MappingData() {} as unknown as { new (): RawMapping };
MappingData.prototype = Object.create(null);

export function emptyMapping(): RawMapping {
  return new MappingData();
}

export interface NodeOrigin {
  readonly source: Source;
  readonly start: number;
  /** The keys of a mapping in their order, with their indexes. Mappings with the same keys can share them. */
  readonly names?: ReadonlyMap<string, number> | undefined;
  /** Of each item of a list; of each key of a mapping and of its value, one after the other. */
  readonly offsets: readonly number[];
}

/**
 * The text locations of plain data, by the identity of mappings and lists. An anchor's data is shared by all of
 * its aliases and points at the anchor; a key that came in by `<<` points at where it was written.
 */
export class Origins {
  readonly #nodes = new Map<unknown, NodeOrigin>();

  set(container: object, origin: NodeOrigin): void {
    this.#nodes.set(container, origin);
  }

  get(container: unknown): NodeOrigin | undefined {
    return this.#nodes.get(container);
  }

  atKey(container: object, key: string): SourceLocation {
    return this.#locate(container, (origin) => keyOffsets(origin, key)[0]);
  }

  atValue(container: object, key: string | number): SourceLocation {
    return this.#locate(container, (origin) => valueOffset(origin, key));
  }

  atStart(container: object): SourceLocation {
    return this.#locate(container, ({ start }) => start);
  }

  #locate(container: object, offsetIn: (origin: NodeOrigin) => number | undefined): SourceLocation {
    const origin = this.#nodes.get(container);
    if (!origin) throw new Error('a mapping or list that was not read from a file has no place');
    return locationAt(origin.source, offsetIn(origin) ?? origin.start);
  }
}

export function keyOffsets({ names, offsets }: NodeOrigin, name: string): readonly number[] {
  const at = names?.get(name);
  return at === undefined ? [] : offsets.slice(2 * at, 2 * at + 2);
}

function valueOffset(origin: NodeOrigin, key: string | number): number | undefined {
  return typeof key === 'number' ? origin.offsets[key] : keyOffsets(origin, key)[1];
}

/** The text at a value, as far as a sticky pattern matches: `1.10` where the value is 1.1, a comment where it is null. */
export function textAt(origins: Origins, container: object, key: string | number, pattern: RegExp): string {
  const origin = origins.get(container);
  if (!origin) return '';
  pattern.lastIndex = valueOffset(origin, key) ?? 0;
  return pattern.exec(origin.source.text)?.[0] ?? '';
}

/** The text behind a `#` that was probably meant as the value: a `#` after a space begins a comment. */
export function commentInstead(origins: Origins, container: object, key: string | number): string {
  return textAt(origins, container, key, /#(?=[^\s#]).*/y).trimEnd();
}
