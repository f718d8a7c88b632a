import pLimit from 'p-limit';
import { type Diagnostic, warning } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import type { ServiceReader } from '../service/client.ts';
import { byId, type ResourceObject, relatedId, resourceOf } from '../service/documents.ts';
import { pathTo } from '../service/endpoints.ts';
import { type PagedList, type ResourcePage, readListAs, readPage, workspacesOf } from '../service/paging.ts';
import { ifFound, NetworkError } from '../service/service-error.ts';
import { dialectOf } from '../service/wire-codec.ts';
import { accessFacts } from './access-facts.ts';
import { workspaceFromDocument } from './from-document.ts';
import { includingBindings } from './included.ts';
import { type LiveQuery, scopesLists } from './live-query.ts';

/** Maximum number of workspaces that are read by name without reading the first page of the list. */
const readStraightAway = 3;

/**
 * Lists of workspaces that a process reads at a time. Their pages take most of the processor's time. Organizations that
 * wait for their list read their small lists meanwhile, so that none of them falls behind its rate.
 */
const listsAtATime = pLimit(16);

interface Found<Item> {
  readonly id: string;
  readonly name: string;
  readonly item: Item;
}

interface FoundWorkspaces<Item> {
  /** By id. */
  readonly found: ReadonlyMap<string, Found<Item>>;
  readonly whole: boolean;
  readonly scopeWhole: boolean;
  readonly total?: number | undefined;
}

/**
 * Reads the workspaces that a query needs with the fewest requests: the whole list in pages, a filtered list if the
 * scope allows it, or single workspaces by name. Of each document, only what `keep` returns stays in memory.
 */
export async function readWorkspaces<Item>(
  reader: ServiceReader,
  query: LiveQuery,
  keep: (document: ResourceObject) => Item,
) {
  const named = (document: ResourceObject) => {
    const { id, attributes } = document;
    return { id, name: String(attributes.name), item: keep(document) };
  };
  const reading = await readWithFewest({ reader, query, keep: named });
  const isEmpty = reading.found.size === 0;
  return { ...reading, diagnostics: isEmpty ? await missingOrganization(reader, query.organization) : [] };
}

interface Reading<Item> {
  readonly reader: ServiceReader;
  readonly query: LiveQuery;
  keep(document: ResourceObject): Found<Item>;
}

/**
 * Some services return an empty list for an organization that does not exist. The interface has no endpoint for the
 * organization (section 4), so a 404 does not show that: it is a warning if it is the service's own answer.
 */
async function missingOrganization(
  reader: ServiceReader,
  organization: string,
): Promise<readonly Diagnostic[]> {
  const { isUnknown } = await accessFacts(reader).organization(organization);
  if (!isUnknown) return [];
  const message = `the service returns no workspaces of organization ${organization}, and 404 for the organization: it does not exist, or the service does not show organizations`;
  const hint = 'check `organization`; for a new organization, go on';
  return [warning('unknown-organization', message, { hint })];
}

async function readWithFewest<Item>(reading: Reading<Item>): Promise<FoundWorkspaces<Item>> {
  const { reader, query, keep } = reading;
  const all = workspacesOf(query.organization);
  const lists = query.scopes && !query.whole ? scopesLists(query.scopes, all.path) : undefined;
  if (query.whole || (query.scopes && lists === undefined)) return readWhole(reading, all);
  if (lists === undefined) return readByName({ ...reading, all, known: new Map(), scopeWhole: false });

  const [list, ...others] = lists;
  if (list && others.length === 0) {
    const known = byId(await listsAtATime(() => readListAs(reader, list, keep)));
    return readByName({ ...reading, all, known, scopeWhole: true });
  }
  // Several filtered lists cost at least one request each; the first page of the whole list shows which is cheaper.
  const first = await readPage(reader, all);
  if (first.totalPages === undefined || first.totalPages - 1 <= lists.length)
    return readWhole(reading, all, first);
  const scoped = await Promise.all(lists.map((list) => readListAs(reader, list, keep)));
  const known = byId([...first.items.map(keep), ...scoped.flat()]);
  return readByName({ ...reading, all, known, scopeWhole: true, first });
}

async function readWhole<Item>(
  { reader, keep }: Reading<Item>,
  list: PagedList,
  first?: ResourcePage,
): Promise<FoundWorkspaces<Item>> {
  const found = byId(await listsAtATime(() => readListAs(reader, list, keep, first)));
  return { found, whole: true, scopeWhole: true, total: found.size };
}

interface NamesInput<Item> extends Reading<Item> {
  readonly all: PagedList;
  readonly known: ReadonlyMap<string, Found<Item>>;
  readonly scopeWhole: boolean;
  readonly first?: ResourcePage;
}

async function readByName<Item>(input: NamesInput<Item>): Promise<FoundWorkspaces<Item>> {
  const { reader, query, keep, all, known, scopeWhole } = input;
  const knownNames = new Set([...known.values()].map(({ name }) => name));
  const missing = query.names.filter((name) => !knownNames.has(name));
  if (missing.length === 0) return { found: known, whole: false, scopeWhole };

  if (missing.length <= readStraightAway) {
    const singles = await readSingles(input, missing);
    const found = byId([...known.values(), ...singles]);
    if (found.size > 0) return { found, whole: false, scopeWhole };
    // Nothing was found, possibly because of a wrong organization or a token without access. The list shows which, and
    // its first entry shows the dialect.
    const page = await readPage(reader, all, 1, 1);
    return {
      found: byId(page.items.map(keep)),
      whole: page.totalCount === 0,
      scopeWhole: scopeWhole || page.totalCount === 0,
      total: page.totalCount,
    };
  }

  const first = input.first ?? (await readPage(reader, all));
  const onFirst = first.items.map(keep);
  const firstNames = new Set(onFirst.map(({ name }) => name));
  const still = missing.filter((name) => !firstNames.has(name));
  // Without totals the number of pages is unknown, and following the pages is the only way to read them all.
  const listCost = first.totalPages === undefined ? 0 : first.totalPages - 1;
  const cost = Math.min(listCost, still.length);
  const [within, ...others] = (query.within && scopesLists([query.within], all.path)) || [];
  if (within && others.length === 0 && cost > 1 && !scopeWhole) {
    const page = await readPage(reader, within);
    if ((page.totalPages ?? cost) <= cost) {
      const scoped = await listsAtATime(() => readListAs(reader, within, keep, page));
      return readByName({ ...input, known: byId([...onFirst, ...scoped]), scopeWhole: true, first });
    }
  }
  if (listCost <= still.length) return readWhole(input, all, first);
  const singles = await readSingles(input, still);
  return {
    found: byId([...known.values(), ...onFirst, ...singles]),
    whole: false,
    scopeWhole,
    total: first.totalCount,
  };
}

async function readSingles<Item>(reading: Reading<Item>, names: readonly string[]): Promise<Found<Item>[]> {
  const { reader, query, keep } = reading;
  const { organization } = query;
  const found = await Promise.all(names.map((name) => readDocument(reader, { organization, name })));
  return found.flatMap((document) => (document ? [keep(document)] : []));
}

export type WorkspaceKey = { readonly id: string } | { readonly organization: string; readonly name: string };

type SingleQuery = { readonly dialect: Dialect } & Pick<LiveQuery, 'bindings'>;

export async function readWorkspace(reader: ServiceReader, key: WorkspaceKey, query: SingleQuery) {
  const document = await readDocument(query.bindings ? includingBindings(reader) : reader, key);
  return document && singleWorkspace(document, query);
}

export function readWorkspacesIn(
  reader: ServiceReader,
  { organization, project }: { readonly organization: string; readonly project: string },
  query: SingleQuery,
) {
  const list = { ...workspacesOf(organization), query: { 'filter[project][id]': project } };
  const asking = query.bindings ? includingBindings(reader) : reader;
  return readListAs(asking, list, (document) => singleWorkspace(document, query));
}

/** With the dialect that the document shows, which can be another than that of the query. */
function singleWorkspace(document: ResourceObject, { dialect }: SingleQuery) {
  return { workspace: workspaceFromDocument(document, dialect), dialect: dialectOf(document) ?? dialect };
}

/** Those of the ids that workspaces of an organization have. */
export async function existingWorkspaces(
  reader: ServiceReader,
  organization: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length > readStraightAway)
    return new Set(await readListAs(reader, workspacesOf(organization), ({ id }) => id));
  const singles = await Promise.all(ids.map((id) => readDocument(reader, { id })));
  const isOwn = (document: ResourceObject) => {
    const owner = relatedId(document, 'organization');
    return !owner || owner.toLowerCase() === organization.toLowerCase();
  };
  return new Set(singles.flatMap((one) => (one && isOwn(one) ? one.id : [])));
}

async function readDocument(reader: ServiceReader, key: WorkspaceKey): Promise<ResourceObject | undefined> {
  const path =
    'id' in key ? pathTo('showWorkspace', { workspace: key.id }) : pathTo('showWorkspaceByName', key);
  const document = await ifFound(reader.get(path));
  const object = resourceOf(document);
  if (object || document === undefined) return object;
  throw new NetworkError({ method: 'GET', path }, 'the answer is not usable: no workspace');
}
