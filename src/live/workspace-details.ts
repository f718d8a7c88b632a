import type { WorkspaceResource } from '../model/state.ts';
import { isRecord, type Value } from '../model/value.ts';
import { isMissingEndpoint, whereOffered } from '../service/capabilities.ts';
import type { ServiceReader } from '../service/client.ts';
import { asResourceObject, type Document, type ResourceObject } from '../service/documents.ts';
import { pathTo } from '../service/endpoints.ts';
import { consumersOf, readList } from '../service/paging.ts';
import { isNotFound, NetworkError } from '../service/service-error.ts';
import type { LiveQuery } from './live-query.ts';

/** Reads the requested values that the document of a workspace does not contain. */
export async function readDetails(
  reader: ServiceReader,
  query: LiveQuery,
  workspace: WorkspaceResource,
  names: Map<string, string>,
): Promise<WorkspaceResource> {
  const extra: Record<string, Value> = {};
  const { id = '', name, attributes } = workspace;
  // While the state is shared with all, the service lists every workspace instead of the stored consumers.
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
 * Reads the ids of the consumers of a workspace and adds their names to `names`. Some services return bare identifiers
 * without names; names from other reads are then kept. `undefined` if the service has no consumers.
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

/** `null` if the workspace has no own policy, or the service has no policies. */
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

/**
 * The workspace's own policy; `null` if there is none. A policy whose target is not a workspace is inherited. A service
 * that omits the target returns the policy of the requested path.
 *
 * @throws {NetworkError} if the policy contains neither a number of days nor that nothing is deleted.
 */
export function retentionFromDocument(document: Document, path: string): Value {
  const policy = asResourceObject(document.data);
  if (policy === undefined) return null;
  const target = policy.relationships.target;
  const owner = isRecord(target) && isRecord(target.data) ? target.data.type : undefined;
  if (owner !== undefined && owner !== 'workspaces') return null;
  if (policy.type === 'data-retention-policy-dont-deletes') return { 'dont-delete': true };
  const { attributes } = policy;
  // The service's own documents use both spellings.
  const days = attributes['delete-older-than-n-days'] ?? attributes.deleteOlderThanNDays;
  if (typeof days === 'number') return { 'delete-older-than-days': days };
  throw new NetworkError(
    { method: 'GET', path },
    'the data retention policy is not usable: it has no number of days',
  );
}
