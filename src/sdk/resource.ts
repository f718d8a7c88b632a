import type { ResourceObject } from '../service/documents.ts';

/** What a resource is tied to: one other, several, or none (`null`). Some are told by a link alone. */
export interface Relationship {
  readonly data?: ResourceIdentifier | readonly ResourceIdentifier[] | null;
  readonly links?: { readonly related?: string };
}

/** What tells one resource from all others. */
export interface ResourceIdentifier {
  readonly id: string;
  readonly type: string;
}

/**
 * A resource as the service answers it, a JSON:API resource object. Attributes have the neutral names of the interface
 * in both dialects. What the service does not tell is missing; for values that can be cleared, `null`, `""` and a
 * missing member mean the same.
 */
export interface ServiceResource<
  Type extends string = string,
  Attributes = Readonly<Record<string, unknown>>,
  Relation extends string = string,
> extends ResourceIdentifier {
  readonly type: Type;
  readonly attributes: Attributes;
  readonly relationships: Readonly<Partial<Record<Relation, Relationship>>>;
  readonly links?: Readonly<Record<string, string>>;
}

/** One page of a list (interface, section 2.5). */
export interface ResourcePage<Resource> {
  readonly items: readonly Resource[];
  /** How many there are on all pages; missing where the service tells no totals. */
  readonly totalCount?: number;
  readonly totalPages?: number;
  /** Missing on the last page. */
  readonly nextPage?: number;
  /** What `include` asked for. */
  readonly included?: readonly ResourceObject[];
}

/** Which page of a list. */
export interface PageQuery {
  /** From 1. @default 1 */
  readonly number?: number;
  /** From 1 to 100. @default 100 */
  readonly size?: number;
}
