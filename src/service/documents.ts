import { isRecord } from '../model/value.ts';

/** A JSON:API resource object as it comes from the service; attributes still have their wire names. */
export interface ResourceObject {
  readonly id: string;
  readonly type: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly relationships: Readonly<Record<string, unknown>>;
  /** Where it is found: `self` in the interface, for people `self-html`. */
  readonly links?: Readonly<Record<string, unknown>> | undefined;
  /** What `include` brought along with the document or its page, by id. */
  readonly included?: ReadonlyMap<string, ResourceObject>;
}

/** A JSON:API document. `data` is not looked at yet. */
export interface Document {
  readonly data?: unknown;
  readonly meta?: unknown;
  readonly links?: unknown;
  /** Related resources that `include` asked for (interface, section 4.8). */
  readonly included?: unknown;
}

/** Ids become segments of paths. Plan files, journals and snapshots hold the same ids, and allow no other. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]+$/.test(value);
}

export function asResourceObject(value: unknown): ResourceObject | undefined {
  if (!isRecord(value) || !isId(value.id)) return undefined;
  return {
    id: value.id,
    type: typeof value.type === 'string' ? value.type : '',
    attributes: isRecord(value.attributes) ? value.attributes : {},
    relationships: isRecord(value.relationships) ? value.relationships : {},
    links: isRecord(value.links) ? value.links : undefined,
  };
}

function relatedData({ relationships }: Pick<ResourceObject, 'relationships'>, name: string): unknown {
  const { [name]: relationship } = relationships;
  return isRecord(relationship) ? relationship.data : undefined;
}

export function related(object: ResourceObject, name: string): ResourceObject | undefined {
  return asResourceObject(relatedData(object, name));
}

export function includedResources({ included }: Document): readonly ResourceObject[] | undefined {
  return Array.isArray(included) ? included.flatMap((value) => asResourceObject(value) ?? []) : undefined;
}

export function resourceOf(document: Document | undefined): ResourceObject | undefined {
  const object = asResourceObject(document?.data);
  const included = document && includedResources(document);
  return object && included ? { ...object, included: byId(included) } : object;
}

export function byId<Item extends { readonly id: string }>(items: Iterable<Item>): Map<string, Item> {
  return new Map([...items].map((item) => [item.id, item]));
}

/** The id of the target of a to-one relationship; `undefined` if the document omits it, `null` if it is empty. */
export function relatedId(
  object: Pick<ResourceObject, 'relationships'>,
  name: string,
): string | null | undefined {
  const data = relatedData(object, name);
  if (data === undefined) return undefined;
  return isRecord(data) && typeof data.id === 'string' ? data.id : null;
}

/** What the token may not do with a resource: the names of its `permissions` that are `false`. */
export function deniedPermissions({ attributes }: Pick<ResourceObject, 'attributes'>): readonly string[] {
  const { permissions } = attributes;
  if (!isRecord(permissions)) return [];
  return Object.keys(permissions).filter((name) => permissions[name] === false);
}

export function relatedIds(object: ResourceObject, name: string): readonly string[] | undefined {
  const data = relatedData(object, name);
  return Array.isArray(data) ? data.flatMap((item: unknown) => asResourceObject(item)?.id ?? []) : undefined;
}
