import { isRecord, type Value } from '../model/value.ts';

/** What the endpoints of a workspace's relations take (interface, sections 4.4 to 4.7), as plans send it too. */

/** An id of an SSH key assigns it; `null` takes the present one away. */
export function sshKeyBody(id: Value): Value {
  return { data: { type: 'workspaces', attributes: { id } } };
}

/** Each by its name, or by its id. */
export function tagsBody(tags: readonly (string | { readonly id: string })[]): Value {
  return {
    data: tags.map((tag) =>
      typeof tag === 'string' ? { type: 'tags', attributes: { name: tag } } : { type: 'tags', id: tag.id },
    ),
  };
}

export function consumersBody(ids: readonly Value[]): Value {
  return { data: ids.map((id) => ({ type: 'workspaces', id })) };
}

/** `{delete-older-than-days: n}` or `{dont-delete: true}`, as configurations have it. */
export function retentionBody(policy: Value): Value {
  const days = isRecord(policy) ? (policy['delete-older-than-days'] as Value | undefined) : undefined;
  const data =
    days === undefined
      ? { type: 'data-retention-policy-dont-deletes', attributes: {} }
      : { type: 'data-retention-policy-delete-olders', attributes: { 'delete-older-than-n-days': days } };
  return { data };
}
