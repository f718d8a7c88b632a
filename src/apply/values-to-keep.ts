import { readConsumerList, readRetentionPolicy } from '../live/workspace-details.ts';
import type { WorkspaceResource } from '../model/state.ts';
import type { Value, Values } from '../model/value.ts';
import type { ServiceReader } from '../service/client.ts';
import { isNotFound } from '../service/service-error.ts';

/** All that can be known of a workspace that is about to be deleted, whoever manages it: to create it once more. */
export async function valuesToKeep(
  { id = '', name, attributes }: WorkspaceResource,
  reader: ServiceReader,
): Promise<Values> {
  const kept: Record<string, Value> = { ...attributes, name };
  if (attributes['data-retention'] !== null) kept['data-retention'] = await readRetentionPolicy(reader, id);
  // While its state is shared with all, the service does not tell which consumers are stored.
  if (attributes['global-remote-state'] !== true) {
    const consumers = await readConsumerList(reader, id).catch((error) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (consumers) kept['remote-state-consumers'] = consumers.map((consumer) => consumer.id).sort();
  }
  return kept;
}
