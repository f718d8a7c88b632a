import type { WorkspaceResource } from '../model/state.ts';
import type { Value } from '../model/value.ts';
import type { ServiceReader } from '../service/client.ts';
import { type Consumer, type DetailReads, serviceDetails } from './detail-reads.ts';
import type { LiveQuery } from './live-query.ts';

/** Reads the requested values that the document of a workspace does not contain. */
export async function readDetails(
  details: DetailReads,
  query: LiveQuery,
  workspace: WorkspaceResource,
  names: Map<string, string>,
): Promise<WorkspaceResource> {
  const extra: Record<string, Value> = {};
  const { id = '', name, attributes } = workspace;
  // While the state is shared with all, the service lists every workspace instead of the stored consumers.
  const readConsumers = async () => {
    if (!query.consumersOf.has(name) || attributes['global-remote-state'] === true) return;
    const consumers = await details.consumers(id);
    if (consumers) extra['remote-state-consumers'] = idsOf(consumers, names);
  };
  const readRetention = async () => {
    if (!query.retentionOf.has(name) || attributes['data-retention'] === null) return;
    const policy = await details.retention(id);
    if (policy !== undefined) extra['data-retention'] = policy;
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
  const consumers = await serviceDetails(reader).consumers(id);
  return consumers && idsOf(consumers, names);
}

function idsOf(consumers: readonly Consumer[], names: Map<string, string>): string[] {
  for (const { id, name } of consumers) if (name !== undefined && !names.has(id)) names.set(id, name);
  return consumers.map(({ id }) => id).sort();
}
