import { isRecord, type Value } from '../model/value.ts';
import { asResourceObject, type Document } from '../service/documents.ts';

/**
 * The policy that a workspace has of its own; `null` where it has none. A policy whose target is not a workspace is
 * inherited and not the workspace's business. A service that names no target answers for the path it was asked.
 */
export function retentionFromDocument(document: Document): Value {
  const policy = asResourceObject(document.data);
  if (policy === undefined) return null;
  const target = policy.relationships.target;
  const owner = isRecord(target) && isRecord(target.data) ? target.data.type : undefined;
  if (owner !== undefined && owner !== 'workspaces') return null;
  if (policy.type === 'data-retention-policy-dont-deletes') return { 'dont-delete': true };
  const { attributes } = policy;
  // Written in either way by the service's own documents.
  const days = attributes['delete-older-than-n-days'] ?? attributes.deleteOlderThanNDays;
  return typeof days === 'number' ? { 'delete-older-than-days': days } : null;
}
