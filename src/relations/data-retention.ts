import { isRecord, type Value } from '../model/value.ts';
import { isMissingEndpoint, whereOffered } from '../service/capabilities.ts';
import type { ServiceReader } from '../service/client.ts';
import { asResourceObject, type Document, relatedId } from '../service/documents.ts';
import { pathTo } from '../service/endpoints.ts';
import { isNotFound, NetworkError } from '../service/service-error.ts';
import type { Relation } from './relation.ts';

/** The workspace's own data retention policy (interface, section 4.7); `null` if it has none. */
export const dataRetention = {
  fromDocument(document) {
    const policy = relatedId(document, 'data-retention-policy');
    // `null` means that the workspace has no own policy, which saves a request.
    if (policy === null) return { 'data-retention': null };
    return policy === undefined ? {} : { 'data-retention-policy': policy };
  },
  separate: {
    noun: 'data retention',
    policyFields: ['dataRetention'],
    isNeeded: (attributes) => attributes['data-retention'] !== null,
    isHeld({ 'data-retention': value, 'data-retention-policy': id }) {
      return value === null ? false : id === undefined ? undefined : true;
    },
    async read(reader, workspace) {
      const value = await readRetentionPolicy(reader, workspace);
      return reader.capabilities.lacks('data-retention') ? undefined : { value };
    },
  },
  shown: (value = null) => value,
  restored: (value) => value ?? undefined,
  losesProtection: (before, after) => keptDays(after) < keptDays(before),
  undeclarable: (value) =>
    isRecord(value) && value['dont-delete'] !== true && !isDays(value['delete-older-than-days'])
      ? 'the configuration language does not support this policy'
      : undefined,
} as const satisfies Relation;

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

function isDays(days: unknown): boolean {
  return Number.isInteger(days) && Number(days) >= 1;
}

/** Without its own policy, a workspace uses that of its organization, which is not read. */
function keptDays(policy: Value): number {
  const days = isRecord(policy) ? policy['delete-older-than-days'] : undefined;
  return typeof days === 'number' ? days : Number.POSITIVE_INFINITY;
}
