import type { EffectiveBinding } from '../rules/tag-rules.ts';
import type { StoredTag } from '../store/records.ts';
import type { World } from '../world.ts';
import { type AnsweredIdentifier, type AnsweredResource, toOne } from './answered-resource.ts';

/** A tag with its number of workspaces (interface, section 2.3). */
export function tagResource(
  world: World,
  { id, name, organization, createdAt }: StoredTag,
): AnsweredResource {
  return {
    id,
    type: 'tags',
    attributes: {
      name,
      'created-at': createdAt,
      'instance-count': world.store.workspaces.tagged(organization, name).size,
    },
    relationships: { organization: toOne('organizations', organization) },
  };
}

export type BindingType = 'tag-bindings' | 'effective-tag-bindings';

export function bindingResource(
  { id, key, value, inheritedFrom }: EffectiveBinding,
  type: BindingType,
): AnsweredResource {
  const resource = { id, type, attributes: { key, value: value ?? '' } };
  if (inheritedFrom === undefined) return resource;
  return {
    ...resource,
    relationships: { 'inherited-from': { data: { id: inheritedFrom, type: 'projects' } } },
    links: { 'inherited-from': `/api/v2/projects/${inheritedFrom}` },
  };
}

/** The relationship to the effective bindings; it has their ids only if the request includes them. */
export function bindingsRelationship(
  path: string,
  bindings: readonly EffectiveBinding[] | undefined,
): { readonly data?: readonly AnsweredIdentifier[]; readonly links: { readonly related: string } } {
  const data = bindings?.map(({ id }) => ({ id, type: 'effective-tag-bindings' }));
  return { ...(data && { data }), links: { related: `${path}/effective-tag-bindings` } };
}
