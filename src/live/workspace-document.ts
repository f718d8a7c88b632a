import { workspaceAttributes } from '../model/attribute-table.ts';
import { destroyDuration, destroyTime, inheritedDestroyDuration, wirePlaces } from '../model/attributes.ts';
import type { Dialect } from '../model/dialect.ts';
import { type WorkspaceResource, workspaceAddress } from '../model/state.ts';
import { sameValue, type Value, type Values } from '../model/value.ts';
import { relations } from '../relations/relations.ts';
import { deniedPermissions, type ResourceObject, relatedId } from '../service/documents.ts';
import { attributesFromWire, unusableWorkspace } from '../service/wire-codec.ts';
import { bindingsFromDocument } from './included.ts';

/** Only values that the document contains (interface, section 2.1). Some relations are read separately. */
export function workspaceFromDocument(document: ResourceObject, dialect: Dialect): WorkspaceResource {
  const { attributes: wire, id } = document;
  const name = wire.name;
  if (typeof name !== 'string' || name === '') throw unusableWorkspace(id, 'name');

  const attributes = attributesFromWire(wire, dialect, id);
  if (wire['vcs-repo'] === null) attributes['vcs-repo'] = null;
  // The pool is a relationship; some services repeat it as an attribute.
  const pool = relatedId(document, 'agent-pool');
  if (pool !== undefined) attributes['agent-pool-id'] = pool;
  if (attributes.operations === undefined && typeof attributes['execution-mode'] === 'string') {
    attributes.operations = attributes['execution-mode'] !== 'local';
  }

  for (const { fromDocument } of rows) Object.assign(attributes, fromDocument?.(document, dialect));
  const resourceCount = wire['resource-count'];
  if (typeof resourceCount === 'number' && Number.isSafeInteger(resourceCount))
    attributes['resource-count'] = resourceCount;
  separateSchedule(attributes, wire);

  const bindings = bindingsFromDocument(document);
  if (bindings) {
    attributes['tag-bindings'] = bindings.own;
    attributes['inherited-tag-bindings'] = bindings.inherited;
  }

  const listed = otherwiseListed(wire, dialect, attributes);
  const address = workspaceAddress(name);
  const denied = deniedPermissions(document);
  return {
    kind: 'workspace',
    address,
    name,
    id,
    // V8 keeps an object that gets its keys one after the other as a hash table: a copy takes a third of the memory.
    attributes: { ...attributes },
    ...(listed && { listed }),
    ...(isUnused(document, attributes) && { isUnused: true }),
    ...(denied.length > 0 && { denied }),
  };
}

const rows = Object.values(relations);

/** A service that does not return the current run does not show whether there is one. */
function isUnused(document: ResourceObject, { 'resource-count': resources }: Values): boolean {
  return resources === 0 && relatedId(document, 'current-run') === null;
}

/** Lists whose order or duplicates the attributes do not keep; `undefined` if there are none. */
function otherwiseListed(
  wire: Readonly<Record<string, unknown>>,
  dialect: Dialect,
  attributes: Values,
): WorkspaceResource['listed'] {
  const listed = wirePlaces[dialect].flatMap(({ path, name }) => {
    const list = wire[name];
    if (workspaceAttributes[path].type !== 'strings' || !Array.isArray(list)) return [];
    return sameValue(list, attributes[path]) ? [] : [[path, list] as const];
  });
  return listed.length > 0 ? Object.fromEntries(listed) : undefined;
}

/** A document shows the destroy schedule of the project where the workspace inherits it. Then none is its own. */
export function separateSchedule(
  attributes: Record<string, Value>,
  wire: Readonly<Record<string, unknown>>,
): void {
  const { [destroyDuration]: duration = null } = attributes;
  if (wire['inherits-project-auto-destroy'] !== true) return;
  attributes[inheritedDestroyDuration] = duration;
  for (const path of [destroyTime, destroyDuration])
    if (attributes[path] !== undefined) attributes[path] = null;
}
