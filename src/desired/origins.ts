import type { SourceLocation } from '../model/diagnostic.ts';
import { locationAt, plainTextAt, type Source } from './files/source.ts';

/** Where a key and its value stand, as offsets into the text. */
export interface KeyOrigin {
  readonly key: number;
  readonly value: number;
}

/** Where the members of one mapping or list stand. */
export interface Origin {
  readonly source: Source;
  /** Where it starts itself. */
  readonly start: number;
  readonly keys?: ReadonlyMap<string, KeyOrigin>;
  readonly items?: readonly number[];
}

/**
 * The way from plain data back to the text, by the identity of mappings and lists. An anchor's data is shared by all of
 * its aliases and points at the anchor; a key that came in by `<<` points at where it was written.
 */
export type Origins = Map<object, Origin>;

export function locateKey(origins: Origins, container: object, key: string): SourceLocation {
  const origin = originOf(origins, container);
  return locationAt(origin.source, origin.keys?.get(key)?.key ?? origin.start);
}

export function locateValue(origins: Origins, container: object, key: string | number): SourceLocation {
  const origin = originOf(origins, container);
  return locationAt(origin.source, valueOffset(origin, key));
}

export function locateStart(origins: Origins, container: object): SourceLocation {
  const origin = originOf(origins, container);
  return locationAt(origin.source, origin.start);
}

/** A number or a flag as it is written. */
export function writtenValue(origins: Origins, container: object, key: string | number): string {
  const origin = originOf(origins, container);
  return plainTextAt(origin.source, valueOffset(origin, key));
}

function valueOffset(origin: Origin, key: string | number): number {
  const offset = typeof key === 'number' ? origin.items?.[key] : origin.keys?.get(key)?.value;
  return offset ?? origin.start;
}

function originOf(origins: Origins, container: object): Origin {
  const origin = origins.get(container);
  if (!origin) throw new Error('a mapping or list that was not read from a file has no place');
  return origin;
}
