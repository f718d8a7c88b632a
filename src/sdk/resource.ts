import type { ResourceObject } from '../service/documents.ts';

/** The related resources: one, several, or none (`null`). Some relationships have only a link. */
export interface Relationship {
  readonly data?: ResourceIdentifier | readonly ResourceIdentifier[] | null;
  readonly links?: { readonly related?: string };
}

/** Identifies a resource. */
export interface ResourceIdentifier {
  readonly id: string;
  readonly type: string;
}

/**
 * A resource as the service returns it, a JSON:API resource object. Attributes have the neutral names of the interface
 * in both dialects. Values that the service does not return are missing. If a value can be cleared, `null`, `""` and a
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
  /** The number of items on all pages; missing if the service returns no totals. */
  readonly totalCount?: number;
  readonly totalPages?: number;
  /** Missing on the last page. */
  readonly nextPage?: number;
  /** The resources that `include` requested. */
  readonly included?: readonly ResourceObject[];
}

/** The page of a list to read. */
export interface PageQuery {
  /** From 1. @default 1 */
  readonly number?: number;
  /** From 1 to 100. @default 100 */
  readonly size?: number;
}
