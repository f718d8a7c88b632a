import { type ProjectResource, projectAddress } from '../model/state.ts';
import { isRecord, type Value } from '../model/value.ts';
import { deniedPermissions, type ResourceObject, relatedId } from '../service/documents.ts';
import { projectFromWire, unusableProject } from '../service/wire-codec.ts';
import { bindingsFromDocument } from './included.ts';

/** Its address and name contain the id, because only the configuration has an alias for it. */
export function projectFromDocument(document: ResourceObject): ProjectResource {
  const { id, attributes: wire } = document;
  const attributes = projectFromWire(wire, id);
  addOwnExecution(attributes, document);
  const stacks = wire['stack-count'];
  if (typeof stacks === 'number' && stacks > 0) attributes['stack-count'] = stacks;
  const bindings = bindingsFromDocument(document);
  if (bindings) attributes['tag-bindings'] = bindings.own;
  const denied = deniedPermissions(document);
  const address = projectAddress(id);
  return { kind: 'project', address, name: id, id, attributes, ...(denied.length > 0 && { denied }) };
}

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
