import { projectPaths } from '../model/project-attributes.ts';
import { type ProjectResource, projectAddress } from '../model/state.ts';
import type { Value } from '../model/value.ts';
import type { ResourceObject } from '../service/documents.ts';
import { pathTo } from '../service/endpoints.ts';
import { NetworkError } from '../service/service-error.ts';
import { bindingsFromDocument } from './tag-bindings.ts';

/**
 * Converts a project document to a live resource. Its address and name contain the id, because only the configuration
 * has an alias for it.
 *
 * @throws {NetworkError} if an attribute is not a string.
 */
export function projectFromDocument(document: ResourceObject): ProjectResource {
  const { id, attributes: wire } = document;
  const attributes: Record<string, Value> = {};
  for (const path of projectPaths) {
    const value = wire[path];
    if (value === undefined && path !== 'name') continue;
    if (typeof value !== 'string' && (value !== null || path === 'name')) throw unusableProject(id, path);
    attributes[path] = value === '' ? null : value;
  }
  const bindings = bindingsFromDocument(document);
  if (bindings) attributes['tag-bindings'] = bindings.own;
  return { kind: 'project', address: projectAddress(id), name: id, id, attributes };
}

function unusableProject(id: string, member: string): NetworkError {
  return new NetworkError(
    { method: 'GET', path: pathTo('showProject', { id }) },
    `the project document is not usable: its ${member} is missing or not a text`,
    { hint: 'check that the address is the service itself' },
  );
}
