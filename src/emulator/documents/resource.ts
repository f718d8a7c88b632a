import type { ServiceRequest } from '../http/handle-request.ts';
import { type Answer, errorObject, json, refuseInvalid, reject } from '../http/responses.ts';
import type { EffectiveBinding } from '../rules/tag-rules.ts';
import type { StoredRetention, StoredTag } from '../store/store.ts';
import type { World } from '../world.ts';

export interface AnsweredResource {
  readonly id: string;
  readonly type: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly relationships?: Readonly<Record<string, unknown>>;
  readonly links?: Readonly<Record<string, string>>;
}

export function toOne(type: string, id: string | null) {
  return { data: id === null ? null : { id, type } };
}

export function toMany(type: string, ids: readonly string[] = []) {
  return { data: ids.map((id) => ({ id, type })) };
}

export function linked(related: string) {
  return { links: { related } };
}

export function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

export function each<Value>(names: readonly string[], value: Value, prefix = ''): Record<string, Value> {
  return Object.fromEntries(names.map((name) => [prefix + name, value]));
}

export function idTail(id: string): string {
  return id.slice(id.indexOf('-') + 1);
}

export function tagResource(
  { store }: World,
  { id, name, organization, createdAt }: StoredTag,
): AnsweredResource {
  const count = store.countTagged(organization, name);
  return {
    id,
    type: 'tags',
    attributes: { name, 'created-at': createdAt, 'instance-count': count },
    relationships: { organization: toOne('organizations', organization) },
  };
}

export function bindingResource(
  { id, key, value, inheritedFrom }: EffectiveBinding,
  type: 'tag-bindings' | 'effective-tag-bindings',
): AnsweredResource {
  const own = { id, type, attributes: { key, value: value ?? '' } };
  if (inheritedFrom === undefined) return own;
  return {
    ...own,
    relationships: { 'inherited-from': toOne('projects', inheritedFrom) },
    links: { 'inherited-from': `/api/v2/projects/${inheritedFrom}` },
  };
}

/** The relationship to the effective bindings; it has their ids only if the request includes them. */
export function bindingsRelationship(path: string, bindings: readonly EffectiveBinding[] | undefined) {
  const type = 'effective-tag-bindings';
  return { data: bindings?.map(({ id }) => ({ id, type })), ...linked(`${path}/${type}`) };
}

export const deleteOlder = 'data-retention-policy-delete-olders';
export const dontDelete = 'data-retention-policy-dont-deletes';

export function retentionIdentifier({ id, days }: StoredRetention) {
  return { id, type: days === null ? dontDelete : deleteOlder };
}

export function pageOf<Item>(
  request: ServiceRequest,
  items: readonly Item[],
  render: (item: Item) => AnsweredResource,
  include: (item: Item) => Iterable<AnsweredResource> = () => [],
): Answer {
  const { number, size } = pageQuery(request.query);
  const shown = items.slice((number - 1) * size, number * size);
  const included = withIncluded(request, shown, include);
  // An empty list still has a first page, which `last` links to.
  const pages = Math.max(1, Math.ceil(items.length / size));
  const next = number < pages ? number + 1 : null;
  const prev = number > 1 ? Math.min(number - 1, pages) : null;
  const linkTo = (page: number) => {
    const query = new URLSearchParams(request.query);
    query.set('page[number]', String(page));
    query.set('page[size]', String(size));
    return `${request.origin}${request.pathname}?${query}`;
  };
  return json(200, {
    data: shown.map(render),
    ...included,
    links: {
      self: linkTo(number),
      first: linkTo(1),
      prev: prev && linkTo(prev),
      next: next && linkTo(next),
      last: linkTo(pages),
    },
    meta: {
      pagination: {
        'current-page': number,
        'page-size': size,
        'prev-page': prev,
        'next-page': next,
        'total-pages': pages,
        'total-count': items.length,
      },
    },
  });
}

export function withIncluded<Item>(
  { query }: ServiceRequest,
  items: readonly Item[],
  include: (item: Item) => Iterable<AnsweredResource>,
): { readonly included?: readonly AnsweredResource[] } {
  if (!query.get('include')) return {};
  const resources = items.flatMap((item) => [...include(item)]);
  const byId = new Map(resources.map((resource) => [`${resource.type} ${resource.id}`, resource]));
  return { included: [...byId.values()] };
}

const defaultPageSize = 20;
const largestPageSize = 100;

/** Reads `page[number]` and `page[size]`. A size outside 1 to 100 is refused, never clamped. */
function pageQuery(query: URLSearchParams): { readonly number: number; readonly size: number } {
  const number = readCount(query.get('page[number]'), 1);
  const size = readCount(query.get('page[size]'), defaultPageSize);
  const details = [
    number >= 1 ? [] : 'page[number] must be a positive number',
    size >= 1 && size <= largestPageSize ? [] : `page[size] must be between 1 and ${largestPageSize}`,
  ].flat();
  refuseInvalid(details.map((detail) => ({ ...errorObject(422, detail), title: 'invalid attribute' })));
  return { number, size };
}

function readCount(text: string | null, byDefault: number): number {
  if (text === null || text === '') return byDefault;
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
}

export function nameFilter(query: URLSearchParams): (name: string) => boolean {
  const names = query
    .get('filter[names]')
    ?.toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const part = query.get('q')?.toLowerCase() ?? '';
  return (name) => {
    const lower = name.toLowerCase();
    return (!names || names.includes(lower)) && lower.includes(part);
  };
}

/** Reads `include`. An unknown value is a bad request; clients of old servers depend on that. */
export function readInclude(query: URLSearchParams, known: readonly string[]): readonly string[] {
  const names = (query.get('include') ?? '').split(',').filter((name) => name !== '');
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw reject(400, `Invalid include parameter: ${unknown}`);
  return names;
}

export function includesOf({ query }: ServiceRequest): readonly string[] {
  return (query.get('include') ?? '').split(',').map((name) => name.replaceAll('-', '_'));
}
