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
  /** The keys of a mapping in their order. Mappings with the same keys can share the list. */
  readonly names?: readonly string[] | undefined;
  /** Of each item of a list; of each key of a mapping and of its value, one after the other. */
  readonly offsets: ArrayLike<number>;
}

/**
 * The text locations of plain data, by the identity of mappings and lists. An anchor's data is shared by all of
 * its aliases and points at the anchor; a key that came in by `<<` points at where it was written.
 *
 * They are kept as long as a configuration, and there is one for each mapping of all files: all numbers are in one array.
 */
export class Origins {
  /** The index of the first number of each: the index of its holder, where it starts, how many offsets follow, and these. */
  readonly #rows = new Map<object, number>();
  #numbers = new Uint32Array(256);
  #length = 0;
  readonly #holders: Pick<NodeOrigin, 'source' | 'names'>[] = [];
  /** By the names of a mapping, which are of one file, or by the file of a list. */
  readonly #holderOf = new Map<object, number>();

  set(container: object, { source, start, names, offsets }: NodeOrigin): void {
    const holder = this.#holderOf.get(names ?? source) ?? this.#holders.length;
    if (holder === this.#holders.length) {
      this.#holders.push({ source, names });
      this.#holderOf.set(names ?? source, holder);
    }
    const end = this.#length + 3 + offsets.length;
    if (end > this.#numbers.length) {
      const numbers = new Uint32Array(2 * end);
      numbers.set(this.#numbers);
      this.#numbers = numbers;
    }
    this.#numbers.set([holder, start, offsets.length], this.#length);
    this.#numbers.set(offsets, this.#length + 3);
    this.#rows.set(container, this.#length);
    this.#length = end;
  }

  get(container: unknown): NodeOrigin | undefined {
    const row = this.#rows.get(container as object);
    if (row === undefined) return undefined;
    const [holder = 0, start = 0, count = 0] = this.#numbers.subarray(row, row + 3);
    const { source, names } = this.#holders[holder] as NodeOrigin;
    return { source, start, names, offsets: this.#numbers.subarray(row + 3, row + 3 + count) };
  }

  atKey(container: object, key: string): SourceLocation {
    return this.#locate(container, key, 'key');
  }

  atValue(container: object, key: string | number): SourceLocation {
    return this.#locate(container, key, 'value');
  }

  atStart(container: object): SourceLocation {
    return this.#locate(container, undefined, 'key');
  }

  #locate(container: object, key: string | number | undefined, part: 'key' | 'value'): SourceLocation {
    const row = this.#rows.get(container);
    // Without the objects of `get`: each value of all files is located.
    const { source, names = [] } = this.#holders[this.#numbers[row ?? -1] ?? -1] ?? {};
    if (row === undefined || !source)
      throw new Error('a mapping or list that was not read from a file has no place');
    const at = typeof key === 'string' ? 2 * indexIn(names, key) + Number(part === 'value') : (key ?? -1);
    const isThere = at >= 0 && at < (this.#numbers[row + 2] ?? 0);
    return locationAt(source, this.#numbers[isThere ? row + 3 + at : row + 1] ?? 0);
  }
}

/** From this number of keys on, a key is found with an index. */
const fewKeys = 16;
const indexes = new WeakMap<readonly string[], ReadonlyMap<string, number>>();

function indexIn(names: readonly string[], name: string): number {
  if (names.length < fewKeys) return names.indexOf(name);
  const index = indexes.get(names) ?? new Map(names.map((one, at) => [one, at]));
  indexes.set(names, index);
  return index.get(name) ?? -1;
}

export function keyOffsets({ names = [], offsets }: NodeOrigin, name: string): readonly number[] {
  const at = indexIn(names, name);
  return at < 0 ? [] : [offsets[2 * at] ?? 0, offsets[2 * at + 1] ?? 0];
}

/** The text at a value, as far as a sticky pattern matches: `1.10` where the value is 1.1, a comment where it is null. */
export function textAt(origins: Origins, container: object, key: string | number, pattern: RegExp): string {
  const origin = origins.get(container);
  if (!origin) return '';
  pattern.lastIndex = (typeof key === 'number' ? origin.offsets[key] : keyOffsets(origin, key)[1]) ?? 0;
  return pattern.exec(origin.source.text)?.[0] ?? '';
}

/** The text behind a `#` that was probably meant as the value: a `#` after a space begins a comment. */
export function commentInstead(origins: Origins, container: object, key: string | number): string {
  return textAt(origins, container, key, /#(?=[^\s#]).*/y).trimEnd();
}
