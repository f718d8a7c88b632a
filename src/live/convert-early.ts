import type { Dialect } from '../model/dialect.ts';
import type { ResourceObject } from '../service/documents.ts';
import { dialectOf } from '../service/wire-codec.ts';
import { bindingsFromDocument } from './tag-bindings.ts';

/**
 * Converts documents as soon as one of them has shown the dialect. A document takes five times the memory of its
 * resource, and lists of all organizations are in memory at the same time.
 */
export interface EarlyConversion<Item> {
  /** Converts a document, or keeps it until the dialect is known. */
  keep(document: ResourceObject): Converted<Item>;
  /** The resource of a document, once the dialect is known. */
  finish(kept: Converted<Item>, dialect: Dialect): Item;
  /** Documents of the list that show what all of them show: the dialect, and whether they have key/value tags. */
  examples(): readonly ResourceObject[];
}

/** A resource, or the document if the dialect is not known yet. */
export type Converted<Item> = { readonly resource: Item } | { readonly document: ResourceObject };

export function convertEarly<Item>(
  convert: (document: ResourceObject, dialect: Dialect) => Item,
): EarlyConversion<Item> {
  let shown: Dialect | undefined;
  let hasBindings = false;
  const examples: ResourceObject[] = [];
  const learn = (document: ResourceObject) => {
    const dialect = shown === undefined ? dialectOf(document) : undefined;
    const isFirstWithBindings = !hasBindings && bindingsFromDocument(document) !== undefined;
    if (examples.length === 0 || dialect !== undefined || isFirstWithBindings) examples.push(document);
    shown ??= dialect;
    hasBindings ||= isFirstWithBindings;
  };
  return {
    keep(document) {
      if (shown === undefined || !hasBindings) learn(document);
      return shown === undefined ? { document } : { resource: convert(document, shown) };
    },
    finish: (kept, dialect) => ('resource' in kept ? kept.resource : convert(kept.document, dialect)),
    examples: () => examples,
  };
}
