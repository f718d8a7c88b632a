/*
 * The service, or a snapshot of it, to a State.
 *
 * Premise: what a comparison needs is a query. It is answered completely with the fewest requests, or the read fails.
 *
 *   query     -> documents of each kind: whole lists, filtered lists or single reads (kinds.ts, read-workspaces.ts)
 *   documents -> the dialect, and what the service does not offer -> resources
 *   resources -> values that need a request each (detail-reads.ts)
 */

import type { AliasKind } from '../model/alias-kind.ts';
import type { LiveScope } from '../model/configuration.ts';
import { AttuneError, type Diagnostic, note } from '../model/diagnostic.ts';
import { type Dialect, type Feature, features } from '../model/dialect.ts';
import { resourceKinds, type State } from '../model/state.ts';
import { separateRelations } from '../relations/relations.ts';
import type { Capabilities } from '../service/capabilities.ts';
import type { Query, ServiceReader } from '../service/client.ts';
import type { Document, ResourceObject } from '../service/documents.ts';
import { grantsOf, type PagedList, readList, readPage, workspacesOf } from '../service/paging.ts';
import { dialectOf } from '../service/wire-codec.ts';
import { type AccessFacts, accessFacts } from './access-facts.ts';
import { type DetailReads, type RollingReads, serviceDetails } from './detail-reads.ts';
import { bindingsFromDocument, includingBindings } from './included.ts';
import { liveKind } from './kinds.ts';
import { countInScope, type LiveQuery, queryMembers, readsNothing, scopesLists } from './live-query.ts';
import { type ListedObject, type NamedId, readNames, readObjects } from './read-names.ts';
import { existingWorkspaces } from './read-workspaces.ts';

/** The live state of a query. It is complete: a failed read throws, so that no plan is based on partial data. */
export interface Live {
  readonly state: State;
  readonly dialect: Dialect;
  /** Whether it contains every workspace of the organization. */
  readonly whole: boolean;
  /** Whether it contains every workspace of the scopes. */
  readonly scopeWhole: boolean;
  /** Ids of projects of which it contains every workspace, as far as the plan needs to know. @default none */
  readonly wholeProjects?: readonly string[] | undefined;
  /** The id of the project in which a workspace without `project` is created, as far as the plan needs to know. */
  readonly defaultProject?: string | undefined;
  /** Number of workspaces in the organization, if a list contained it. */
  readonly workspaceTotal?: number | undefined;
  /** Names by id: of the workspaces that were read, and of consumers whose list contains them. */
  readonly names: ReadonlyMap<string, string>;
  /** Names of projects by id, if their list was read. */
  readonly projectNames?: ReadonlyMap<string, string> | undefined;
  /** Ids of the projects whose grants are in the state. */
  readonly projects: readonly string[];
  /** Features that the service is known not to offer. */
  readonly missing: readonly Feature[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads the live state that a query needs, with the fewest requests: pages of 100, a filtered list, or single reads by
 * name (interface, section 4.1). Relations and grants are read only if the query names them.
 *
 * @throws {@link ServiceError} or {@link NetworkError} on any read that fails, or on a list that changes during the
 * read.
 * @example
 * ```ts
 * const live = await readLive(client, liveQueryOf(configuration));
 * console.log(live.state.resources.get('workspace.network-prod')?.id); // ws-network
 * ```
 */
export function readLive(reader: ServiceReader, query: LiveQuery): Promise<Live> {
  return readLiveWith(reader, query, serviceDetails(reader));
}

async function readLiveWith(reader: ServiceReader, query: LiveQuery, details: DetailReads): Promise<Live> {
  const asking = query.bindings ? includingBindings(reader) : reader;
  const readings = await Promise.all(
    resourceKinds.map((kind) => liveKind(kind).read(asking, query, details)),
  );
  const documents = readings.flatMap((reading) => reading.examples);
  if (query.bindings) noteBindings(reader, documents);
  const shown = await findDialect(reader, query, documents);
  const dialect = shown ?? 'iac';
  const found = await Promise.all(readings.map((reading) => reading.resources(dialect)));
  const resources = found.flatMap((kind) => kind.resources);
  const { capabilities } = reader;
  return {
    state: {
      organization: query.organization,
      resources: new Map(resources.map((resource) => [resource.address, resource])),
    },
    dialect,
    whole: found.some(({ whole }) => whole),
    scopeWhole: found.some(({ scopeWhole }) => scopeWhole),
    workspaceTotal: found.find(({ workspaceTotal }) => workspaceTotal !== undefined)?.workspaceTotal,
    names: new Map(found.flatMap(({ names }) => [...(names ?? [])])),
    projectNames: found.find(({ projectNames }) => projectNames)?.projectNames,
    projects: capabilities.lacks('team-access') ? [] : found.flatMap(({ projects = [] }) => projects),
    missing: capabilities.missing(),
    diagnostics: [
      ...found.flatMap(({ diagnostics = [] }) => diagnostics),
      ...(shown === undefined ? [assumedDialect] : []),
      ...notOfferedNotes(
        capabilities.missing().filter((feature) => wants(query, feature)),
        capabilities,
      ),
    ],
  };
}

/** A service that does not support the `include` may ignore it. */
function noteBindings({ capabilities }: ServiceReader, documents: readonly ResourceObject[]): void {
  const holders = documents.filter(({ type }) => type === 'workspaces' || type === 'projects');
  if (holders.length === 0 || capabilities.lacks('tag-bindings')) return;
  if (holders.every((document) => bindingsFromDocument(document) === undefined))
    capabilities.recordMissing('tag-bindings');
}

function wants(query: LiveQuery, feature: Feature): boolean {
  if (feature === 'team-access') return query.projects.length > 0;
  if (feature === 'tag-bindings') return query.bindings === true;
  return separateRelations.some((path) => path === feature && query[queryMembers[path]].size > 0);
}

const assumedDialect: Diagnostic = note(
  'assumed-dialect',
  'the dialect of this service is unknown because it has no workspaces; "iac" is assumed',
  { hint: 'set service.dialect to `iac` or `terraform`' },
);

/** Undefined if nothing shows it, and the query depends on it. */
async function findDialect(reader: ServiceReader, query: LiveQuery, documents: readonly ResourceObject[]) {
  const known = query.dialect ?? reader.capabilities.dialect();
  for (const document of documents) {
    const found = dialectOf(document);
    const message = `service.dialect is \`${query.dialect}\`, but the documents of the service are in the dialect \`${found}\``;
    if (found && query.dialect && found !== query.dialect)
      throw new AttuneError(message, { code: 'other-dialect' });
    if (found) return found;
  }
  if (known) return known;
  if (documents.some(({ type }) => type === 'workspaces')) return 'iac';
  const looked = query.names.length > 0 || query.whole || query.scopes !== undefined;
  // If the query needs no resources, nothing depends on the dialect.
  if (!looked && query.projects.length === 0 && !query.managedProjects?.length) return 'iac';
  // If only projects without grants were read, any workspace shows the dialect.
  if (looked) return undefined;
  const [any] = (await readPage(reader, workspacesOf(query.organization), 1, 1)).items;
  return any && (dialectOf(any) ?? 'iac');
}

/** One note per feature that a read needs and the service lacks, unless its whole offering lacks it. */
export function notOfferedNotes(missing: Iterable<Feature>, capabilities: Capabilities): Diagnostic[] {
  return [...new Set(missing)]
    .filter((feature) => !capabilities.isExcluded(feature))
    .map((feature) => note('not-offered', `this service does not offer ${features[feature]}: skipped`));
}

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
  const [list, ...others] = (scope === undefined ? [all] : scopesLists([scope], all.path)) ?? [];
  if (list && others.length === 0) return countList(reader, list);
  const query = { organization, ...readsNothing, whole: scope === undefined, scopes: scope && [scope] };
  const { state, dialect } = await readLive(reader, query);
  return countInScope(state.resources.values(), dialect, scope);
}

async function countList(reader: ServiceReader, list: PagedList): Promise<number> {
  const page = await readPage(reader, list, 1, 1);
  return page.totalCount ?? (await readList(reader, list)).length;
}
