import type { WorkspaceResource } from '../model/state.ts';
import type { ServiceReader } from '../service/client.ts';
import { type ResourceObject, relatedId } from '../service/documents.ts';

/** The current run of a workspace, if its document includes it. */
export function currentRunOf(document: ResourceObject): Pick<WorkspaceResource, 'currentRun'> {
  const id = relatedId(document, 'current-run');
  const status = id ? document.included?.get(id)?.attributes.status : undefined;
  if (id && typeof status === 'string') return { currentRun: { id, status } };
  return id === null && document.included !== undefined ? { currentRun: null } : {};
}

/** Lists and documents of workspaces, but no paths below them. */
const holders = /^\/organizations\/[^/]+\/workspaces(?:\/[^/]+)?$|^\/workspaces\/[^/]+$/;

/** Includes current runs in the reads of workspaces, without further requests. */
export function includingRuns(reader: ServiceReader): ServiceReader {
  return {
    capabilities: reader.capabilities,
    async get(path, query) {
      if (!holders.test(path)) return reader.get(path, query);
      const include = [query?.include, 'current_run'].filter(Boolean).join(',');
      const document = await reader.get(path, { ...query, include });
      // Without any run, a service may leave out the list.
      return { ...document, included: document.included ?? [] };
    },
  };
}
