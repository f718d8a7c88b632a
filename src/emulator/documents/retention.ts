import type { RetentionRecord } from '../store/records.ts';

export const deleteOlder = 'data-retention-policy-delete-olders';
export const dontDelete = 'data-retention-policy-dont-deletes';

export function retentionType(retention: RetentionRecord): string {
  return retention.days === null ? dontDelete : deleteOlder;
}

/** The policy's document. Its target tells whether it is the workspace's own or the organization's default. */
export function retentionDocument(
  retention: RetentionRecord,
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
