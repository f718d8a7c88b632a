import { invalid, refuseInvalid } from '../http/answer.ts';
import type { InputResource } from '../rules/request-document.ts';
import type { StoredRetention } from '../store/records.ts';

const deleteOlder = 'data-retention-policy-delete-olders';
const dontDelete = 'data-retention-policy-dont-deletes';

export function retentionType(retention: StoredRetention): string {
  return retention.days === null ? dontDelete : deleteOlder;
}

/** The document of a policy. Its target shows whether it is the workspace's own or the organization's default. */
export function retentionDocument(
  retention: StoredRetention,
  target: { readonly id: string; readonly type: 'workspaces' | 'organizations' },
) {
  return {
    data: {
      id: retention.id,
      type: retentionType(retention),
      attributes: retention.days === null ? {} : { 'delete-older-than-n-days': retention.days },
      relationships: { target: { data: target } },
    },
  };
}

/** The days of a policy in a request; null if nothing is ever deleted. */
export function readRetentionDays(resource: InputResource): number | null {
  if (resource.type === dontDelete) return null;
  const { attributes, type } = resource;
  // The documentation and the official client spell the attribute differently, and both are in use.
  const days = attributes['delete-older-than-n-days'] ?? attributes.deleteOlderThanNDays;
  if (type !== deleteOlder && type !== 'data-retention-policies') {
    refuseInvalid([invalid('/data/type', `must be ${deleteOlder} or ${dontDelete}`)]);
  }
  if (typeof days !== 'number' || !Number.isInteger(days) || days < 1) {
    refuseInvalid([
      invalid('/data/attributes/delete-older-than-n-days', 'must be a whole number greater than 0'),
    ]);
  }
  return Number(days);
}
