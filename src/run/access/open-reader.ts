import type { Configuration } from '../../desired/configuration.ts';
import { type LiveSource, serviceSource, snapshotSource } from '../../live/live-source.ts';
import type { Snapshot } from '../../live/snapshot.ts';
import { AttuneError } from '../../model/attune-error.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Dialect } from '../../model/dialect.ts';
import { resourcesOf } from '../../model/state.ts';
import { readConsumerList } from '../../relations/relations.ts';
import { whereOffered } from '../../service/capabilities.ts';
import type { ServiceClient } from '../../service/client.ts';
import { type ResourceObject, relatedId } from '../../service/documents.ts';
import { isNotFound, ServiceError } from '../../service/service-error.ts';
import { openConnections } from '../connect.ts';
import type { RunContext } from '../context.ts';
import { clockWarning } from '../plan-options.ts';

/** Where the live state of an organization is read. */
export interface AccessReader {
  readonly source: LiveSource;
  readonly address: string;
  readonly dialect?: Dialect;
  /** The consumers in the list of a workspace, by its id; undefined if they cannot be read. */
  consumers(workspace: string): Promise<readonly ListedConsumer[] | undefined>;
  /** Ids of projects that are known without a list of projects. */
  readonly projects: readonly string[];
  /** What is wrong with the clock of this machine, once the service has answered. */
  clockWarning(): Diagnostic | undefined;
}

export interface ListedConsumer {
  readonly id: string;
  readonly name?: string;
  /** The id of its project. */
  readonly project?: string;
}

/** Reads from a snapshot. A list that it does not contain is unknown. */
export function snapshotReader(snapshot: Snapshot): AccessReader {
  const { address, dialect, resources, projects } = snapshot;
  const used = resourcesOf(resources, 'workspace').flatMap(({ attributes }) => attributes.project ?? []);
  return {
    source: snapshotSource(snapshot),
    address,
    dialect,
    consumers: async () => undefined,
    projects: [...new Set([...projects, ...used])],
    clockWarning: () => undefined,
  };
}

/** Calls a function with the service of configurations, while its connection is open. */
export async function withService<Result>(
  configurations: readonly Configuration[],
  context: RunContext,
  use: (reader: AccessReader) => Promise<Result>,
): Promise<Result> {
  await using connections = await openConnections(configurations, context);
  const { client, address, dialect: detected } = connections.at(0);
  const dialect = detected ?? configurations[0]?.service.dialect;
  return await use({
    source: serviceSource(client),
    address,
    ...(dialect && { dialect }),
    consumers: (workspace) => readConsumers(client, workspace),
    projects: [],
    clockWarning: () => clockWarning(client),
  });
}

/** Whether an error means that there is no service to ask: no address, or no token for it. */
export function isUnconnected(error: unknown): boolean {
  return error instanceof AttuneError && (error.code === 'no-address' || error.code === 'no-token');
}

/** Whether an error means that the token may not see something, or that a snapshot does not contain it. */
export function isHidden(error: unknown): boolean {
  if (error instanceof ServiceError) return error.status === 403 || isNotFound(error);
  return error instanceof AttuneError && error.code === 'bad-snapshot';
}

async function readConsumers(
  client: ServiceClient,
  workspace: string,
): Promise<readonly ListedConsumer[] | undefined> {
  try {
    const list = await whereOffered(client, 'remote-state-consumers', () =>
      readConsumerList(client, workspace),
    );
    return list?.map(consumerOf);
  } catch (error) {
    if (isHidden(error)) return undefined;
    throw error;
  }
}

/** Some services return bare identifiers. */
function consumerOf(document: ResourceObject): ListedConsumer {
  const { id, attributes } = document;
  const project = relatedId(document, 'project');
  return {
    id,
    ...(typeof attributes.name === 'string' && { name: attributes.name }),
    ...(typeof project === 'string' && { project }),
  };
}
