import { isRecord, type Value } from '../model/value.ts';
import { asResourceObject, type Document } from '../service/documents.ts';
import { NetworkError } from '../service/service-error.ts';

/**
 * The policy that a workspace has of its own; `null` where it has none. A policy whose target is not a workspace is
 * inherited and not the workspace's business. A service that names no target answers for the path it was asked.
 *
 * @throws {NetworkError} where it is a policy that tells neither a number of days nor that nothing is deleted.
 */
export function retentionFromDocument(document: Document, path: string): Value {
  const policy = asResourceObject(document.data);
  if (policy === undefined) return null;
  const target = policy.relationships.target;
  const owner = isRecord(target) && isRecord(target.data) ? target.data.type : undefined;
  if (owner !== undefined && owner !== 'workspaces') return null;
  if (policy.type === 'data-retention-policy-dont-deletes') return { 'dont-delete': true };
  const { attributes } = policy;
  // Written in either way by the service's own documents.
  const days = attributes['delete-older-than-n-days'] ?? attributes.deleteOlderThanNDays;
  if (typeof days === 'number') return { 'delete-older-than-days': days };
  throw new NetworkError(
    { method: 'GET', path },
    'the data retention policy is not usable: it tells no number of days',
  );
}
