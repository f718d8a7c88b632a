import type { AliasKind } from '../model/alias-kind.ts';
import type { LiveScope } from '../model/configuration.ts';
import type { Query, ServiceReader } from '../service/client.ts';
import type { Document } from '../service/documents.ts';
import { grantsOf, type PagedList, readList, readPage, workspacesOf } from '../service/paging.ts';
import { type AccessFacts, accessFacts } from './access-facts.ts';
import { type DetailReads, type RollingReads, serviceDetails } from './detail-reads.ts';
import { includingBindings } from './included.ts';
import { countInScope, type LiveQuery, readsNothing, scopesLists } from './live-query.ts';
import { type Live, readLive, readLiveWith } from './read-live.ts';
import { type ListedObject, type NamedId, readNames, readObjects } from './read-names.ts';
import { existingWorkspaces } from './read-workspaces.ts';

/** How names are looked up. */
export interface NamesOptions {
  /** Whether projects include their key/value tags, because the plan needs both. */
  readonly bindings?: boolean | undefined;
}

/** The source of the live state: the service, or a snapshot of it. No member is optional, so that none is left out by mistake. */
export interface LiveSource {
  /** Answers a query completely, or fails. */
  read(query: LiveQuery): Promise<Live>;
  /**
   * All names and ids of one kind.
   *
   * @throws {@link NoLookUpError} if the source does not have them.
   */
  names(organization: string, kind: AliasKind, options?: NamesOptions): Promise<readonly NamedId[]>;
  /**
   * All objects of one kind, also those without a name. `undefined` if the source has only names, as a snapshot.
   *
   * @throws {@link NoLookUpError} if the service does not list them.
   */
  readonly objects:
    | ((organization: string, kind: AliasKind, options?: NamesOptions) => Promise<readonly ListedObject[]>)
    | undefined;
  /** Those of the ids that workspaces of the organization have. `undefined` as `objects`. */
  readonly workspaceIds:
    | ((organization: string, ids: readonly string[]) => Promise<ReadonlySet<string>>)
    | undefined;
  /** Counts the live workspaces in scope, if the query did not read all of them. */
  countWorkspaces(organization: string, scope: LiveScope | undefined): Promise<number>;
  /** Counts the grants of a project, by its id. */
  countGrants(project: string): Promise<number>;
  /** Facts about the access of the token and of teams; `undefined` if the source has none, as a snapshot. */
  readonly access: AccessFacts | undefined;
}

/**
 * The live state of the service at the time of each read.
 *
 * @example
 * ```ts
 * const source = serviceSource(client);
 * console.log(await source.countWorkspaces('acme', undefined)); // 3
 * ```
 */
export function serviceSource(reader: ServiceReader): LiveSource {
  return sourceWith(reader, serviceDetails(reader));
}

export function rollingSource(reader: ServiceReader, rolling: RollingReads): LiveSource {
  return sourceWith(reader, rolling.over(serviceDetails(reader)));
}

function sourceWith(reader: ServiceReader, details: DetailReads): LiveSource {
  const remembering = rememberLists(reader);
  const asking = (kind: AliasKind, { bindings = false }: NamesOptions = {}) =>
    bindings && kind === 'projects' ? includingBindings(remembering) : remembering;
  return {
    read: (query) => readLiveWith(remembering, query, details),
    names: (organization, kind, options) => readNames(asking(kind, options), organization, kind),
    objects: (organization, kind, options) => readObjects(asking(kind, options), organization, kind),
    workspaceIds: (organization, ids) => existingWorkspaces(reader, organization, ids),
    countWorkspaces: (organization, scope) => countWorkspaces(reader, organization, scope),
    countGrants: (project) => countList(reader, grantsOf(project)),
    access: accessFacts(remembering),
  };
}

const shared = /\/(projects|teams|ssh-keys|agent-pools|oauth-clients|oauth-tokens)$|^\/organizations\/[^/]+$/;

/**
 * The look-ups of names and of ids, the guards, and what compares projects need the same lists and the organization: each
 * is read once.
 */
export function rememberLists(reader: ServiceReader): ServiceReader {
  return remember(reader, (path) => shared.test(path));
}

export function remember(
  reader: ServiceReader,
  isKept: (path: string, query: Query | undefined) => boolean,
): ServiceReader {
  const answers = new Map<string, Promise<Document>>();
  return {
    capabilities: reader.capabilities,
    get(path, query) {
      if (!isKept(path, query)) return reader.get(path, query);
      const key = JSON.stringify([path, query]);
      const answer = answers.get(key) ?? reader.get(path, query);
      answers.set(key, answer);
      answer.catch(() => answers.delete(key));
      return answer;
    },
  };
}

/** A page with one entry is enough if the service's own filter supports the scope; else the scope is read. */
export async function countWorkspaces(
  reader: ServiceReader,
  organization: string,
  scope: LiveScope | undefined,
): Promise<number> {
  const all = workspacesOf(organization);
  const lists = scope === undefined ? [all] : scopesLists([scope], all.path);
  const [list, ...others] = lists ?? [];
  if (list && others.length === 0) return countList(reader, list);
  const query = { organization, ...readsNothing, whole: scope === undefined, scopes: scope && [scope] };
  const { state, dialect } = await readLive(reader, query);
  return countInScope(state.resources.values(), dialect, scope);
}

async function countList(reader: ServiceReader, list: PagedList): Promise<number> {
  const page = await readPage(reader, list, 1, 1);
  return page.totalCount ?? (await readList(reader, list)).length;
}
