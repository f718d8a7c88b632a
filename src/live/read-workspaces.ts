import { AttuneError } from '../model/attune-error.ts';
import type { ServiceReader } from '../service/client.ts';
import { type ResourceObject, resourceOf } from '../service/documents.ts';
import { pathTo } from '../service/endpoints.ts';
import { type List, type Page, readList, readPage, workspacesOf } from '../service/paging.ts';
import { isNotFound, NetworkError } from '../service/service-error.ts';
import { type LiveQuery, scopeLists } from './live-query.ts';

/** Maximum number of workspaces that are read by name without reading the first page of the list. */
const readStraightAway = 3;

export interface WorkspaceReading {
  /** By id. */
  readonly documents: ReadonlyMap<string, ResourceObject>;
  /** Whether it contains every workspace of the organization. */
  readonly whole: boolean;
  /** Whether it contains every workspace of the query's scope. */
  readonly scopeWhole: boolean;
  /** Number of workspaces in the organization, if a list contained it. */
  readonly total?: number;
}

/**
 * Reads the workspaces that a query needs with the fewest requests: the whole list in pages, a filtered list if the
 * scope allows it, or single workspaces by name.
 */
export async function readWorkspaces(reader: ServiceReader, query: LiveQuery): Promise<WorkspaceReading> {
  const reading = await readWithFewest(reader, query);
  if (reading.documents.size === 0) await requireOrganization(reader, query.organization);
  return reading;
}

/** Some services return an empty list for an organization that does not exist. */
async function requireOrganization(reader: ServiceReader, organization: string): Promise<void> {
  try {
    await reader.get(pathTo('showOrganization', { organization }));
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new AttuneError(
      `cannot read organization ${organization}: it does not exist, or this token may not see it`,
      {
        code: 'unknown-organization',
        hint: 'check `organization`, the address and the token',
      },
    );
  }
}

async function readWithFewest(reader: ServiceReader, query: LiveQuery): Promise<WorkspaceReading> {
  const all = workspacesOf(query.organization);
  const lists = query.scope && !query.whole ? scopeLists(query.scope, all.path) : undefined;
  if (query.whole || (query.scope && lists === undefined)) return readWhole(reader, all);
  if (lists === undefined) return readNames({ reader, query, all, known: new Map(), scopeWhole: false });

  if (lists.length === 1 && lists[0]) {
    const known = byId(await readList(reader, lists[0]));
    return readNames({ reader, query, all, known, scopeWhole: true });
  }
  // Several filtered lists cost at least one request each; the first page of the whole list shows which is cheaper.
  const first = await readPage(reader, all);
  if (first.totalPages === undefined || first.totalPages - 1 <= lists.length)
    return readWhole(reader, all, first);
  const scoped = await Promise.all(lists.map((list) => readList(reader, list)));
  const known = byId([...first.items, ...scoped.flat()]);
  return readNames({ reader, query, all, known, scopeWhole: true, first });
}

async function readWhole(reader: ServiceReader, list: List, first?: Page): Promise<WorkspaceReading> {
  const documents = byId(await readList(reader, list, first));
  return { documents, whole: true, scopeWhole: true, total: documents.size };
}

interface NamesInput {
  readonly reader: ServiceReader;
  readonly query: LiveQuery;
  /** The whole list. */
  readonly all: List;
  readonly known: ReadonlyMap<string, ResourceObject>;
  readonly scopeWhole: boolean;
  /** The first page of the whole list, if it was read already. */
  readonly first?: Page;
}

/** Adds the workspaces that are needed by name and not read yet. */
async function readNames(input: NamesInput): Promise<WorkspaceReading> {
  const { reader, query, all, known, scopeWhole } = input;
  const knownNames = new Set([...known.values()].map(workspaceName));
  const missing = query.names.filter((name) => !knownNames.has(name));
  if (missing.length === 0) return { documents: known, whole: false, scopeWhole };

  if (missing.length <= readStraightAway) {
    const found = await readSingles(reader, query.organization, missing);
    const documents = byId([...known.values(), ...found]);
    if (documents.size > 0) return { documents, whole: false, scopeWhole };
    // Nothing was found, possibly because of a wrong organization or a token without access. The list shows which, and
    // its first entry shows the dialect.
    const page = await readPage(reader, all, 1, 1);
    return {
      documents: byId(page.items),
      whole: page.totalCount === 0,
      scopeWhole: scopeWhole || page.totalCount === 0,
      ...(page.totalCount !== undefined && { total: page.totalCount }),
    };
  }

  const first = input.first ?? (await readPage(reader, all));
  const firstNames = new Set(first.items.map(workspaceName));
  const still = missing.filter((name) => !firstNames.has(name));
  // Without totals the number of pages is unknown, and following the pages is the only way to read them all.
  const listCost = first.totalPages === undefined ? 0 : first.totalPages - 1;
  if (listCost <= still.length) return readWhole(reader, all, first);
  const singles = await readSingles(reader, query.organization, still);
  return {
    documents: byId([...known.values(), ...first.items, ...singles]),
    whole: false,
    scopeWhole,
    ...(first.totalCount !== undefined && { total: first.totalCount }),
  };
}

async function readSingles(
  reader: ServiceReader,
  organization: string,
  names: readonly string[],
): Promise<ResourceObject[]> {
  const found = await Promise.all(names.map((name) => readSingle(reader, organization, name)));
  return found.filter((document) => document !== undefined);
}

/** A workspace by its name; `undefined` if it does not exist, or the token may not see it. */
export function readSingle(
  reader: ServiceReader,
  organization: string,
  name: string,
): Promise<ResourceObject | undefined> {
  return readIfThere(reader, pathTo('showWorkspaceByName', { organization, name }));
}

/** A workspace by its id; `undefined` if it does not exist any more, or the token may not see it. */
export function readWorkspace(reader: ServiceReader, id: string): Promise<ResourceObject | undefined> {
  return readIfThere(reader, pathTo('showWorkspace', { workspace: id }));
}

async function readIfThere(reader: ServiceReader, path: string): Promise<ResourceObject | undefined> {
  try {
    const object = resourceOf(await reader.get(path));
    if (object) return object;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
  throw new NetworkError({ method: 'GET', path }, 'the answer is not usable: no workspace');
}

function byId(documents: Iterable<ResourceObject>): Map<string, ResourceObject> {
  return new Map([...documents].map((document) => [document.id, document]));
}

function workspaceName(document: ResourceObject): string {
  return String(document.attributes.name);
}
