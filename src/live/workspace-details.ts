import pLimit from 'p-limit';
import type { WorkspaceResource } from '../model/state.ts';
import type { Value } from '../model/value.ts';
import type { ServiceReader } from '../service/client.ts';
import { type Consumer, type DetailReads, serviceDetails } from './detail-reads.ts';
import type { LiveQuery } from './live-query.ts';

/** A read that waits for its turn takes 5 kB, and runs over many organizations need thousands of them. */
const atATime = 50;

/** Reads the requested values that the documents of workspaces do not contain. */
export function readDetails(
  details: DetailReads,
  query: LiveQuery,
  workspaces: readonly WorkspaceResource[],
  names: Map<string, string>,
): Promise<readonly WorkspaceResource[]> {
  const limit = pLimit(atATime);
  return Promise.all(
    workspaces.map((workspace) => {
      const wanted = wantedOf(query, workspace);
      if (!wanted.consumers && !wanted.retention) return workspace;
      return limit(() => withDetails(details, wanted, workspace, names));
    }),
  );
}

interface Wanted {
  readonly consumers: boolean;
  readonly retention: boolean;
}

function wantedOf({ consumersOf, retentionOf }: LiveQuery, { name, attributes }: WorkspaceResource): Wanted {
  return {
    // While the state is shared with all, the service lists every workspace instead of the stored consumers.
    consumers: consumersOf.has(name) && attributes['global-remote-state'] !== true,
    retention: retentionOf.has(name) && attributes['data-retention'] !== null,
  };
}

async function withDetails(
  details: DetailReads,
  wanted: Wanted,
  workspace: WorkspaceResource,
  names: Map<string, string>,
): Promise<WorkspaceResource> {
  const { id = '', attributes } = workspace;
  const [consumers, retention] = await Promise.all([
    wanted.consumers ? details.consumers(id) : undefined,
    wanted.retention ? details.retention(id) : undefined,
  ]);
  const extra: Record<string, Value> = {
    ...(consumers && { 'remote-state-consumers': idsOf(consumers, names) }),
    ...(retention !== undefined && { 'data-retention': retention }),
  };
  return { ...workspace, attributes: { ...attributes, ...extra } };
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
