import { isRecord } from '../model/value.ts';
import type { Query, ServiceReader } from './client.ts';
import {
  asResourceObject,
  type Document,
  includedResources,
  type ResourceObject,
  relatedId,
} from './documents.ts';
import { pathTo } from './endpoints.ts';
import { NetworkError } from './service-error.ts';

const largestPage = 100;
const mostPages = 10_000;
const mostReadings = 3;

export interface PagedList {
  readonly path: string;
  readonly query?: Query;
}

/** One page of a list (interface, section 2.5). */
export interface ResourcePage<Resource = ResourceObject> {
  readonly items: readonly Resource[];
  /** The number of items on all pages; missing if the service returns no totals. */
  readonly totalCount?: number | undefined;
  readonly totalPages?: number | undefined;
  /** Missing on the last page. */
  readonly nextPage?: number | undefined;
  /** The resources that `include` requested. */
  readonly included?: readonly ResourceObject[] | undefined;
}

export async function readPage(
  reader: ServiceReader,
  list: PagedList,
  number = 1,
  size = largestPage,
): Promise<ResourcePage> {
  const page: Query = number > 1 ? { 'page[number]': number, 'page[size]': size } : { 'page[size]': size };
  return parsePage(await reader.get(list.path, { ...list.query, ...page }), list.path);
}

/**
 * Reads a list to its end. `meta.pagination` of the first page gives the other pages, which are read in parallel. A list
 * that changes meanwhile (a duplicate resource or name, wrong totals) is read again, at most three times.
 *
 * @param first The first page, if it was read already.
 * @throws {NetworkError} if the list changes during each read.
 */
export function readList(reader: ServiceReader, list: PagedList): Promise<ResourceObject[]> {
  return readListAs(reader, list, (item) => item);
}

/** Reads a list as {@link readList} does. Of each page, only what `keep` returns stays in memory. */
export async function readListAs<Item>(
  reader: ServiceReader,
  list: PagedList,
  keep: (item: ResourceObject) => Item,
  first?: ResourcePage,
): Promise<Item[]> {
  const keepPage = ({ items, included: _included, ...totals }: ResourcePage): KeptPage<Item> => ({
    ...totals,
    items: items.map((item) => ({ id: item.id, name: nameOf(item), kept: keep(item) })),
  });
  for (let reading = 1; reading <= mostReadings; reading++) {
    const known = reading === 1 ? first : undefined;
    const pages = await readPages(reader, list, known && keepPage(known), keepPage);
    if (holdsTogether(pages)) return pages.flatMap((page) => page.items.map(({ kept }) => kept));
  }
  const request = { method: 'GET', path: list.path };
  throw new NetworkError(request, `the list changed each of the ${mostReadings} times it was read`, {
    hint: 'run again when no other client creates or deletes entries of the list',
  });
}

type KeptPage<Item> = ResourcePage<{
  readonly id: string;
  readonly name?: string | undefined;
  readonly kept: Item;
}>;

async function readPages<Item>(
  reader: ServiceReader,
  list: PagedList,
  known: KeptPage<Item> | undefined,
  keepPage: (page: ResourcePage) => KeptPage<Item>,
): Promise<KeptPage<Item>[]> {
  const read = async (number: number) => keepPage(await readPage(reader, list, number));
  const first = known ?? (await read(1));
  if (first.totalPages !== undefined) {
    // No page is longer than the first, so further pages and readings cannot bring the total.
    if (first.totalPages > 1 && (first.totalCount ?? 0) > first.totalPages * first.items.length)
      throw unusable(list.path, 'more entries than its pages can have');
    const others = Array.from({ length: Math.max(first.totalPages - 1, 0) }, (_, index) => index + 2);
    return [first, ...(await Promise.all(others.map(read)))];
  }
  const pages = [first];
  const seen = new Set(first.items.map(({ id }) => id));
  for (let number = 1, next = first.nextPage; next !== undefined; ) {
    const page = next > number ? await read(next) : keepPage({ items: [] });
    // A page without new resources that announces another page would repeat for ever.
    const brings = page.items.some(({ id }) => !seen.has(id));
    if (next <= number || pages.length >= mostPages || (page.nextPage !== undefined && !brings))
      throw endless(list.path);
    pages.push(page);
    for (const { id } of page.items) seen.add(id);
    number = next;
    next = page.nextPage;
  }
  return pages;
}

function holdsTogether(pages: readonly KeptPage<unknown>[]): boolean {
  const items = pages.flatMap((page) => page.items);
  if (hasTwice(items.map(({ id }) => id)) || hasTwice(items.flatMap(({ name }) => name ?? []))) return false;
  // Totals that are too low would truncate the list.
  if (pages.at(-1)?.nextPage !== undefined) return false;
  const total = pages[0]?.totalCount;
  return total === undefined || (total === items.length && pages.every((page) => page.totalCount === total));
}

function hasTwice(values: readonly string[]): boolean {
  return new Set(values).size !== values.length;
}

/** A value that is unique in a list beside the id: a resource that is deleted and created again has a new id. */
function nameOf(item: ResourceObject): string | undefined {
  if (item.type === 'team-projects') {
    const team = relatedId(item, 'team');
    return team ? `${relatedId(item, 'project')}/${team}` : undefined;
  }
  const { name } = item.attributes;
  return item.type === 'workspaces' && typeof name === 'string' ? name : undefined;
}

function parsePage(document: Document, path: string): ResourcePage {
  if (!Array.isArray(document.data)) throw unusable(path, 'no list');
  const items = document.data.map(asResourceObject);
  if (!items.every((item) => item !== undefined)) throw unusable(path, 'an entry without a usable id');

  const included = includedResources(document);
  const along = included && new Map(included.map((one) => [one.id, one]));
  const { pagination } = isRecord(document.meta) ? document.meta : {};
  const totals = isRecord(pagination) ? pagination : {};
  const totalCount = count(totals['total-count'], path);
  const totalPages = count(totals['total-pages'], path);
  // Each page but the last has entries, so there cannot be more pages than entries.
  if (totalPages !== undefined && totalPages > Math.min(mostPages, Math.max(totalCount ?? mostPages, 1)))
    throw endless(path);
  return {
    items: along ? items.map((item) => ({ ...item, included: along })) : items,
    included,
    totalCount,
    totalPages,
    nextPage:
      count(totals['next-page'], path) ?? (totalPages === undefined ? linkedPage(document) : undefined),
  };
}

/** The next page of a list without totals. */
function linkedPage({ links }: Document): number | undefined {
  const { next } = isRecord(links) ? links : {};
  const [, number] = /[?&]page(?:\[|%5B)number(?:\]|%5D)=(\d+)/i.exec(String(next)) ?? [];
  return number === undefined ? undefined : Number(number);
}

function count(value: unknown, path: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw unusable(path, 'totals that are not numbers');
}

export function unusable(path: string, what: string): NetworkError {
  return new NetworkError({ method: 'GET', path }, `the response is not usable: ${what}`, {
    hint: 'check that the address is the service itself',
  });
}

function endless(path: string): NetworkError {
  return new NetworkError({ method: 'GET', path }, 'the service announces more pages than the list can have');
}

export function workspacesOf(organization: string): PagedList {
  return { path: pathTo('listWorkspaces', { organization }) };
}

export function projectsOf(organization: string): PagedList {
  return { path: pathTo('listProjects', { organization }) };
}

export function consumersOf(workspace: string): PagedList {
  return { path: pathTo('listConsumers', { workspace }) };
}

/** The grants of a project; the service refuses the list without its filter (interface, section 4.9). */
export function grantsOf(project: string): PagedList {
  return { path: pathTo('listTeamProjects', {}), query: { 'filter[project][id]': project } };
}
