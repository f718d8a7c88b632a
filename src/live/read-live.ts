import { AttuneError } from '../model/attune-error.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import { type Feature, features } from '../model/feature.ts';
import type { State, WorkspaceResource } from '../model/state.ts';
import type { Value } from '../model/value.ts';
import { isMissingEndpoint, whereOffered } from '../service/capabilities.ts';
import type { ServiceReader } from '../service/client.ts';
import type { ResourceObject } from '../service/documents.ts';
import { pathTo } from '../service/endpoints.ts';
import { consumersOf, grantsOf, workspacesOf } from '../service/lists.ts';
import { readList, readPage } from '../service/paging.ts';
import { isNotFound } from '../service/service-error.ts';
import { dialectOf } from '../service/wire-codec.ts';
import { grantFromDocument } from './grant-document.ts';
import { detectOverwrites, withoutOverwrites } from './inherited-execution.ts';
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
  /** What the service is known not to offer. */
  readonly missing: readonly Feature[];
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
  const asReturned = [...reading.documents.values()].map((document) =>
    workspaceFromDocument(document, dialect),
  );
  await detectOverwrites(reader, query.organization, asReturned);
  const { capabilities } = reader;
  const workspaces = capabilities.lacks('setting-overwrites')
    ? asReturned.map(withoutOverwrites)
    : asReturned;
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
    projects: capabilities.lacks('team-access') ? [] : query.projects,
    missing: capabilities.missing(),
    diagnostics: [
      ...(assumed ? [assumedDialect] : []),
      ...notOfferedNotes(capabilities.missing().filter((feature) => wants(query, feature))),
    ],
  };
}

/** Whether a query asks for something that belongs to a feature. */
function wants({ consumersOf, retentionOf, projects }: LiveQuery, feature: Feature): boolean {
  switch (feature) {
    case 'remote-state-consumers':
      return consumersOf.size > 0;
    case 'data-retention':
      return retentionOf.size > 0;
    case 'team-access':
      return projects.length > 0;
    default:
      return false;
  }
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
  const known = query.dialect ?? reader.capabilities.dialect();
  for (const document of [...workspaces.values(), ...grants]) {
    const told = dialectOf(document);
    if (told && query.dialect && told !== query.dialect) throw otherDialect(query.dialect, told);
    if (told) return { dialect: told, assumed: false };
  }
  if (known) return { dialect: known, assumed: false };
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

function otherDialect(declared: Dialect, told: Dialect): AttuneError {
  return new AttuneError(
    `service.dialect is \`${declared}\`, and the documents of the service are in the dialect \`${told}\``,
    { code: 'other-dialect', hint: `set service.dialect to \`${told}\`, or remove it` },
  );
}

async function readGrants(reader: ServiceReader, project: string): Promise<ResourceObject[]> {
  return (await whereOffered(reader, 'team-access', () => readList(reader, grantsOf(project)))) ?? [];
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
    const ids = await readConsumerIds(reader, id, names);
    if (ids) extra['remote-state-consumers'] = ids;
  };
  const readRetention = async () => {
    if (!query.retentionOf.has(name) || attributes['data-retention'] === null) return;
    const policy = await readRetentionPolicy(reader, id);
    if (!reader.capabilities.lacks('data-retention')) extra['data-retention'] = policy;
  };
  await Promise.all([readConsumers(), readRetention()]);
  return Object.keys(extra).length === 0
    ? workspace
    : { ...workspace, attributes: { ...attributes, ...extra } };
}

/**
 * Reads the ids of the consumers of a workspace and adds their names to `names`. Some services return bare identifiers:
 * these have no name, and a name that another read has returned is kept. `undefined` where the service has no consumers.
 */
export async function readConsumerIds(
  reader: ServiceReader,
  id: string,
  names: Map<string, string>,
): Promise<string[] | undefined> {
  const consumers = await whereOffered(reader, 'remote-state-consumers', () => readConsumerList(reader, id));
  if (consumers === undefined) return undefined;
  for (const { id: consumer, attributes } of consumers) {
    if (!names.has(consumer) && typeof attributes.name === 'string') names.set(consumer, attributes.name);
  }
  return consumers.map((consumer) => consumer.id).sort();
}

export function readConsumerList(reader: ServiceReader, id: string): Promise<ResourceObject[]> {
  return readList(reader, consumersOf(id));
}

/** `null` where the workspace has no policy of its own, or the service has no policies. */
export async function readRetentionPolicy(reader: ServiceReader, id: string): Promise<Value> {
  const path = pathTo('showRetention', { workspace: id });
  const policy = await whereOffered(reader, 'data-retention', async () => {
    try {
      return retentionFromDocument(await reader.get(path), path);
    } catch (error) {
      if (isNotFound(error) && !isMissingEndpoint(error)) return null;
      throw error;
    }
  });
  return policy ?? null;
}

/** One note per feature that a read wanted and the service lacks. */
export function notOfferedNotes(missing: Iterable<Feature>): Diagnostic[] {
  return [...new Set(missing)].map((feature) => ({
    severity: 'note',
    code: 'not-offered',
    message: `this service does not offer ${features[feature]}: left out`,
    hint: `add ${feature} to service.without to skip the check`,
  }));
}
