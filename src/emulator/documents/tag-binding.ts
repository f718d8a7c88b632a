import type { EffectiveBinding } from '../rules/effective-bindings.ts';
import type { Identifier, Resource } from './resource.ts';

export type BindingType = 'tag-bindings' | 'effective-tag-bindings';

export function bindingResource(
  { id, key, value, inheritedFrom }: EffectiveBinding,
  type: BindingType,
): Resource {
  const resource = { id, type, attributes: { key, value: value ?? '' } };
  if (inheritedFrom === undefined) return resource;
  return {
    ...resource,
    relationships: { 'inherited-from': { data: { id: inheritedFrom, type: 'projects' } } },
    links: { 'inherited-from': `/api/v2/projects/${inheritedFrom}` },
  };
}

/** What a workspace or project shows of its effective bindings; their ids only where the request includes them. */
export function bindingsRelationship(
  path: string,
  bindings: readonly EffectiveBinding[] | undefined,
): { readonly data?: readonly Identifier[]; readonly links: { readonly related: string } } {
  const data = bindings?.map(({ id }) => ({ id, type: 'effective-tag-bindings' }));
  return { ...(data && { data }), links: { related: `${path}/effective-tag-bindings` } };
}
