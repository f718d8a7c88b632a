import { isRecord, type Value } from '../model/value.ts';
import { isMissingEndpoint, whereOffered } from '../service/capabilities.ts';
import type { ServiceReader } from '../service/client.ts';
import { asResourceObject, type Document, type ResourceObject } from '../service/documents.ts';
import { pathTo } from '../service/endpoints.ts';
import { consumersOf, grantsOf, readList } from '../service/paging.ts';
import { isNotFound, NetworkError } from '../service/service-error.ts';

/** Live values that no list of the organization contains: each of them needs a separate request. */
export interface DetailReads {
  /** The consumers of a workspace, by its id; `undefined` if the service has no consumers. */
  consumers(workspace: string): Promise<readonly Consumer[] | undefined>;
  /** The own data retention of a workspace, or `null`; `undefined` if the service has no policies. */
  retention(workspace: string): Promise<Value | undefined>;
  /** The grants of a project, by its id; `undefined` if the service has no team access. */
  grants(project: string): Promise<readonly ResourceObject[] | undefined>;
}

/** A workspace that may read the state of another. */
export interface Consumer {
  readonly id: string;
  /** Absent if the service returns bare identifiers. */
  readonly name?: string;
}

/** Reads each value from the service whenever it is needed. */
export function serviceDetails(reader: ServiceReader): DetailReads {
  return {
    consumers: (workspace) =>
      whereOffered(reader, 'remote-state-consumers', async () =>
        (await readConsumerList(reader, workspace)).map(consumerOf),
      ),
    retention: async (workspace) => {
      const policy = await readRetentionPolicy(reader, workspace);
      return reader.capabilities.lacks('data-retention') ? undefined : policy;
    },
    grants: (project) => whereOffered(reader, 'team-access', () => readList(reader, grantsOf(project))),
  };
}

function consumerOf({ id, attributes: { name } }: ResourceObject): Consumer {
  return { id, ...(typeof name === 'string' && { name }) };
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
