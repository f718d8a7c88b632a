import { type Answer, type ErrorObject, json, refuseInvalid, reject } from '../http/responses.ts';
import type { ServiceRequest } from '../http/router.ts';
import type { AnsweredResource } from './resource.ts';

/**
 * A page of a list (interface, section 2.5). Only the items of the requested page are rendered.
 *
 * @param include the resources that `include` requests for an item
 */
export function pageOf<Item>(
  request: ServiceRequest,
  items: readonly Item[],
  render: (item: Item) => AnsweredResource,
  include: (item: Item) => Iterable<AnsweredResource> = () => [],
): Answer {
  const page = pageQuery(request.query);
  const shown = items.slice((page.number - 1) * page.size, page.number * page.size);
  const included = withIncluded(request, shown, include);
  return json(200, { data: shown.map(render), ...included, ...envelope(request, page, items.length) });
}

/** The resources that `include` requests, each once. A request without `include` gets no such member. */
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

function envelope(request: ServiceRequest, page: PageQuery, count: number) {
  // An empty list still has a first page, which `last` links to.
  const pages = Math.max(1, Math.ceil(count / page.size));
  const next = page.number < pages ? page.number + 1 : null;
  const previous = page.number > 1 ? Math.min(page.number - 1, pages) : null;
  const link = (number: number | null) => (number === null ? null : pageLink(request, number, page.size));
  return {
    links: {
      self: link(page.number),
      first: link(1),
      prev: link(previous),
      next: link(next),
      last: link(pages),
    },
    meta: {
      pagination: {
        'current-page': page.number,
        'page-size': page.size,
        'prev-page': previous,
        'next-page': next,
        'total-pages': pages,
        'total-count': count,
      },
    },
  };
}

function pageLink(request: ServiceRequest, number: number, size: number): string {
  const query = new URLSearchParams(request.query);
  query.set('page[number]', String(number));
  query.set('page[size]', String(size));
  return `${request.origin}${request.pathname}?${query}`;
}

interface PageQuery {
  readonly number: number;
  readonly size: number;
}

const defaultPageSize = 20;
const largestPageSize = 100;

/** Reads `page[number]` and `page[size]`. A size outside 1 to 100 is refused, never clamped. */
function pageQuery(query: URLSearchParams): PageQuery {
  const number = readCount(query, 'page[number]', 1);
  const size = readCount(query, 'page[size]', defaultPageSize);
  const errors: ErrorObject[] = [];
  if (!(number >= 1)) errors.push(wrongParameter('page[number] must be a positive number'));
  if (!(size >= 1 && size <= largestPageSize)) {
    errors.push(wrongParameter(`page[size] must be between 1 and ${largestPageSize}`));
  }
  refuseInvalid(errors);
  return { number, size };
}

function readCount(query: URLSearchParams, name: string, byDefault: number): number {
  const text = query.get(name);
  if (text === null || text === '') return byDefault;
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
}

function wrongParameter(detail: string): ErrorObject {
  return { status: '422', title: 'invalid attribute', detail };
}

/** Combines `filter[names]` (any of these, ignoring case) and `q` (a substring) into one predicate. */
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

/** The values of `include`; an unknown one is ignored. */
export function includesOf({ query }: ServiceRequest): readonly string[] {
  return (query.get('include') ?? '').split(',').map((name) => name.replaceAll('-', '_'));
}
