import { projectExecutionPaths, projectPaths } from '../model/project-attributes.ts';
import { type ProjectResource, projectAddress } from '../model/state.ts';
import { isRecord, type Value } from '../model/value.ts';
import { deniedPermissions, type ResourceObject, relatedId } from '../service/documents.ts';
import { pathTo } from '../service/endpoints.ts';
import { NetworkError } from '../service/service-error.ts';
import { bindingsFromDocument } from './included.ts';

/**
 * Converts a project document to a live resource. Its address and name contain the id, because only the configuration
 * has an alias for it.
 *
 * @throws {NetworkError} if an attribute is not a string.
 */
export function projectFromDocument(document: ResourceObject): ProjectResource {
  const { id, attributes: wire } = document;
  const attributes: Record<string, Value> = {};
  for (const path of plainPaths) {
    const value = wire[path];
    if (value === undefined && path !== 'name') continue;
    if (typeof value !== 'string' && (value !== null || path === 'name')) throw unusableProject(id, path);
    attributes[path] = value === '' ? null : value;
  }
  addOwnExecution(attributes, document);
  const stacks = wire['stack-count'];
  if (typeof stacks === 'number' && stacks > 0) attributes['stack-count'] = stacks;
  const bindings = bindingsFromDocument(document);
  if (bindings) attributes['tag-bindings'] = bindings.own;
  const denied = deniedPermissions(document);
  const address = projectAddress(id);
  return { kind: 'project', address, name: id, id, attributes, ...(denied.length > 0 && { denied }) };
}

/** The attributes that a document has under their names. */
const plainPaths = projectPaths.filter(
  (path) => !projectExecutionPaths.some((inherited) => inherited === path),
);

/**
 * A document shows the mode and the pool in effect; `setting-overwrites` shows whether they are the project's own. Its
 * keys have two spellings. Without it they are unknown.
 */
function addOwnExecution(attributes: Record<string, Value>, document: ResourceObject): void {
  const { 'setting-overwrites': flags, 'default-execution-mode': mode = null } = document.attributes;
  if (!isRecord(flags)) return;
  const isOwn = ['default-execution-mode', 'execution-mode'].some((name) => flags[name] === true);
  if (mode !== null && typeof mode !== 'string') throw unusableProject(document.id, 'default-execution-mode');
  const pool = isOwn && mode === 'agent' ? relatedId(document, 'default-agent-pool') : null;
  attributes['default-execution-mode'] = isOwn ? mode : null;
  attributes['default-agent-pool'] = pool ?? null;
  if (isOwn || mode === null) return;
  attributes['inherited-execution-mode'] = mode;
  attributes['inherited-agent-pool'] =
    mode === 'agent' ? (relatedId(document, 'default-agent-pool') ?? null) : null;
}

function unusableProject(id: string, member: string): NetworkError {
  return new NetworkError(
    { method: 'GET', path: pathTo('showProject', { id }) },
    `the project document is not usable: its ${member} is missing or not a text`,
    { hint: 'check that the address is the service itself' },
  );
}
