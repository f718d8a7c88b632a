import type { Diagnostic } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import type { State, WorkspaceResource } from '../model/state.ts';
import type { Value } from '../model/value.ts';
import type { ServiceReader } from '../service/client.ts';
import type { ResourceObject } from '../service/documents.ts';
import { pathTo } from '../service/endpoints.ts';
import { consumersOf, grantsOf, workspacesOf } from '../service/lists.ts';
import { readList, readPage } from '../service/paging.ts';
import { isNotFound } from '../service/service-error.ts';
import { dialectOf } from './dialect-of.ts';
import { grantFromDocument } from './grant-document.ts';
import type { LiveQuery } from './live-query.ts';
import { readWorkspaces } from './read-workspaces.ts';
import { retentionFromDocument } from './retention-document.ts';
import { workspaceFromDocument } from './workspace-document.ts';

/** What was read of the service. Every read succeeded: a failed one throws, so that nothing is planned on half a truth. */
export interface Live {
  readonly state: State;
  readonly dialect: Dialect;
  /** Every workspace of the organization is in the state. */
  readonly whole: boolean;
  /** Every workspace of the scope is in the state. */
  readonly scopeWhole: boolean;
  /** How many workspaces the organization has, where a list told. */
  readonly workspaceTotal?: number;
  /** Names of the workspaces that were read, by id, and those of consumers whose list contains them. */
  readonly names: ReadonlyMap<string, string>;
  /** Ids of the projects whose grants are in the state. */
  readonly projects: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads the live state that a query needs, with the fewest requests: pages of 100, a filtered list, or single reads by
 * name (interface, section 4.1). Consumers, retention and grants are read only where the query names them.
 *
 * @throws {@link ServiceError} or {@link NetworkError} on any read that fails or does not hold still.
 * @example
 * ```ts
 * const live = await readLive(client, liveQueryOf(configuration));
 * console.log(live.state.resources.get('workspace.network-prod')?.id); // ws-network
 * ```
 */
export async function readLive(reader: ServiceReader, query: LiveQuery): Promise<Live> {
  const [reading, grantDocuments] = await Promise.all([
    query.names.length > 0 || query.whole || query.scope
      ? readWorkspaces(reader, query)
      : { documents: new Map<string, ResourceObject>(), whole: false, scopeWhole: false },
    Promise.all(query.projects.map((project) => readGrants(reader, project))),
  ]);
  const { dialect, assumed } = await findDialect(reader, query, reading.documents, grantDocuments.flat());

  const names = new Map<string, string>();
  const workspaces = [...reading.documents.values()].map((document) =>
    workspaceFromDocument(document, dialect),
  );
  for (const workspace of workspaces) names.set(workspace.id ?? '', workspace.name);
  const detailed = await Promise.all(
    workspaces.map((workspace) => readDetails(reader, query, workspace, names)),
  );
  const grants = query.projects.flatMap((project, index) =>
    (grantDocuments[index] ?? []).map((document) => grantFromDocument(document, project, dialect)),
  );

  const resources = new Map([...detailed, ...grants].map((resource) => [resource.address, resource]));
  return {
    state: { organization: query.organization, resources },
    dialect,
    whole: reading.whole,
    scopeWhole: reading.scopeWhole,
    ...('total' in reading && reading.total !== undefined && { workspaceTotal: reading.total }),
    names,
    projects: query.projects,
    diagnostics: assumed ? [assumedDialect] : [],
  };
}

const assumedDialect: Diagnostic = {
  severity: 'note',
  code: 'assumed-dialect',
  message: 'no workspace tells which dialect this service speaks; "iac" is assumed',
  hint: 'set service.dialect to `iac` or `terraform`',
};

async function findDialect(
  reader: ServiceReader,
  query: LiveQuery,
  workspaces: ReadonlyMap<string, ResourceObject>,
  grants: readonly ResourceObject[],
): Promise<{ dialect: Dialect; assumed: boolean }> {
  if (query.dialect) return { dialect: query.dialect, assumed: false };
  for (const document of [...workspaces.values(), ...grants]) {
    const told = dialectOf(document);
    if (told) return { dialect: told, assumed: false };
  }
  if (workspaces.size > 0) return { dialect: 'iac', assumed: false };
  // Nothing was read but projects without grants: any workspace will do.
  const looked = query.names.length > 0 || query.whole || query.scope !== undefined;
  if (!looked && query.projects.length > 0) {
    const page = await readPage(reader, workspacesOf(query.organization), 1, 1);
    if (page.items[0]) return { dialect: dialectOf(page.items[0]) ?? 'iac', assumed: false };
  }
  // Where nothing was looked for, nothing depends on it.
  return { dialect: 'iac', assumed: looked || query.projects.length > 0 };
}

function readGrants(reader: ServiceReader, project: string): Promise<ResourceObject[]> {
  return readList(reader, grantsOf(project));
}

/** Reads what the document of a workspace does not hold, where it is asked for. */
async function readDetails(
  reader: ServiceReader,
  query: LiveQuery,
  workspace: WorkspaceResource,
  names: Map<string, string>,
): Promise<WorkspaceResource> {
  const extra: Record<string, Value> = {};
  const { id = '', name, attributes } = workspace;
  // While its state is shared with all, the service lists every workspace there is instead of the stored consumers.
  const readConsumers = async () => {
    if (!query.consumersOf.has(name) || attributes['global-remote-state'] === true) return;
    extra['remote-state-consumers'] = await readConsumerIds(reader, id, names);
  };
  const readRetention = async () => {
    if (!query.retentionOf.has(name) || attributes['data-retention'] === null) return;
    extra['data-retention'] = await readRetentionPolicy(reader, id);
  };
  await Promise.all([readConsumers(), readRetention()]);
  return Object.keys(extra).length === 0
    ? workspace
    : { ...workspace, attributes: { ...attributes, ...extra } };
}

/**
 * Reads the ids of the consumers of a workspace and adds their names to `names`. Some services return bare identifiers:
 * these have no name, and a name that another read has returned is kept.
 */
export async function readConsumerIds(
  reader: ServiceReader,
  id: string,
  names: Map<string, string>,
): Promise<string[]> {
  const consumers = await readConsumerList(reader, id);
  for (const { id: consumer, attributes } of consumers) {
    if (!names.has(consumer) && typeof attributes.name === 'string') names.set(consumer, attributes.name);
  }
  return consumers.map((consumer) => consumer.id).sort();
}

export function readConsumerList(reader: ServiceReader, id: string): Promise<ResourceObject[]> {
  return readList(reader, consumersOf(id));
}

export async function readRetentionPolicy(reader: ServiceReader, id: string): Promise<Value> {
  const path = pathTo('showRetention', { workspace: id });
  try {
    return retentionFromDocument(await reader.get(path), path);
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}
