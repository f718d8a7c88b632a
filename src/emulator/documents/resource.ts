import type { EffectiveBinding } from '../rules/tag-rules.ts';
import type { StoredRetention, StoredTag } from '../store/records.ts';
import type { World } from '../world.ts';

export interface AnsweredResource {
  readonly id: string;
  readonly type: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly relationships?: Readonly<Record<string, unknown>>;
  readonly links?: Readonly<Record<string, string>>;
}

export type AnsweredIdentifier = Pick<AnsweredResource, 'id' | 'type'>;

export function toOne(type: string, id: string | null) {
  return { data: id === null ? null : { id, type } };
}

export function toMany(type: string, ids: readonly string[] = []) {
  return { data: ids.map((id) => ({ id, type })) };
}

export function linked(related: string) {
  return { links: { related } };
}

export function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

export function each<Value>(names: readonly string[], value: Value, prefix = ''): Record<string, Value> {
  return Object.fromEntries(names.map((name) => [prefix + name, value]));
}

export function idTail(id: string): string {
  return id.slice(id.indexOf('-') + 1);
}

export function tagResource(
  { store }: World,
  { id, name, organization, createdAt }: StoredTag,
): AnsweredResource {
  const count = store.workspaces.tagged(organization, name).size;
  return {
    id,
    type: 'tags',
    attributes: { name, 'created-at': createdAt, 'instance-count': count },
    relationships: { organization: toOne('organizations', organization) },
  };
}

export function bindingResource(
  { id, key, value, inheritedFrom }: EffectiveBinding,
  type: 'tag-bindings' | 'effective-tag-bindings',
): AnsweredResource {
  return {
    id,
    type,
    attributes: { key, value: value ?? '' },
    ...(inheritedFrom !== undefined && {
      relationships: { 'inherited-from': toOne('projects', inheritedFrom) },
      links: { 'inherited-from': `/api/v2/projects/${inheritedFrom}` },
    }),
  };
}

/** The relationship to the effective bindings; it has their ids only if the request includes them. */
export function bindingsRelationship(path: string, bindings: readonly EffectiveBinding[] | undefined) {
  return {
    ...(bindings &&
      toMany(
        'effective-tag-bindings',
        bindings.map(({ id }) => id),
      )),
    ...linked(`${path}/effective-tag-bindings`),
  };
}

export const deleteOlder = 'data-retention-policy-delete-olders';
export const dontDelete = 'data-retention-policy-dont-deletes';

export function retentionIdentifier({ id, days }: StoredRetention): AnsweredIdentifier {
  return { id, type: days === null ? dontDelete : deleteOlder };
}
