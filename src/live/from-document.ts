import { workspaceAttributes } from '../model/attribute-table.ts';
import type { PermissionPath } from '../model/attribute-values.ts';
import {
  destroyDuration,
  destroyTime,
  inheritedDestroyDuration,
  modeFlag,
  poolFlag,
  wirePlaces,
} from '../model/attributes.ts';
import type { Dialect } from '../model/dialect.ts';
import {
  type AccessLevel,
  accessLevels,
  impliedPermissions,
  permissionPlaces,
  permissions,
} from '../model/permissions.ts';
import {
  type GrantResource,
  grantAddress,
  type ProjectResource,
  projectAddress,
  type WorkspaceResource,
  type WorkspaceValues,
  workspaceAddress,
} from '../model/state.ts';
import { isRecord, noneIfEmpty, sameValue, type Value, type Values } from '../model/value.ts';
import { relations } from '../relations/relations.ts';
import type { ServiceReader } from '../service/client.ts';
import { deniedPermissions, isId, type ResourceObject, relatedId } from '../service/documents.ts';
import {
  attributesFromWire,
  permissionsFromWire,
  projectFromWire,
  unusableResource,
} from '../service/wire-codec.ts';
import { bindingsFromDocument } from './included.ts';

export function workspaceFromDocument(document: ResourceObject, dialect: Dialect): WorkspaceResource {
  const { attributes: wire, id } = document;
  const name = wire.name;
  if (typeof name !== 'string' || name === '') throw unusableResource('workspaces', id, 'name');
  const attributes = workspaceValues(document, dialect);
  return {
    kind: 'workspace',
    address: workspaceAddress(name),
    name,
    id,
    attributes,
    listed: otherwiseListed(wire, dialect, attributes),
    isUnused: (wire['resource-count'] === 0 && relatedId(document, 'current-run') === null) || undefined,
    denied: noneIfEmpty(deniedPermissions(document)),
  };
}

/** Only values that the document contains (interface, section 2.1). Some relations are read separately. */
export function workspaceValues(document: ResourceObject, dialect: Dialect): WorkspaceValues {
  const { attributes: wire, id } = document;
  const attributes = attributesFromWire(wire, dialect, id);
  if (wire['vcs-repo'] === null) attributes['vcs-repo'] = null;
  // The pool is a relationship; some services repeat it as an attribute.
  const pool = relatedId(document, 'agent-pool');
  if (pool !== undefined) attributes['agent-pool-id'] = pool;
  if (attributes.operations === undefined && typeof attributes['execution-mode'] === 'string')
    attributes.operations = attributes['execution-mode'] !== 'local';

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
  // V8 keeps an object that gets its keys one after the other as a hash table: a copy takes a third of the memory.
  return { ...attributes };
}

const rows = Object.values(relations);

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
function separateSchedule(attributes: Record<string, Value>, wire: Readonly<Record<string, unknown>>): void {
  const { [destroyDuration]: duration = null } = attributes;
  if (wire['inherits-project-auto-destroy'] !== true) return;
  attributes[inheritedDestroyDuration] = duration;
  for (const path of [destroyTime, destroyDuration])
    if (attributes[path] !== undefined) attributes[path] = null;
}

/** Its address and name contain the id, because only the configuration has an alias for it. */
export function projectFromDocument(document: ResourceObject): ProjectResource {
  const { id, attributes: wire } = document;
  const attributes = projectFromWire(wire, id);
  addOwnExecution(attributes, document);
  const stacks = wire['stack-count'];
  if (typeof stacks === 'number' && stacks > 0) attributes['stack-count'] = stacks;
  const bindings = bindingsFromDocument(document);
  if (bindings) attributes['tag-bindings'] = bindings.own;
  const denied = noneIfEmpty(deniedPermissions(document));
  return { kind: 'project', address: projectAddress(id), name: id, id, attributes, denied };
}

/**
 * A document shows the mode and the pool in effect; `setting-overwrites` shows whether they are the project's own. Its
 * keys have two spellings. Without it they are unknown.
 */
function addOwnExecution(attributes: Record<string, Value>, document: ResourceObject): void {
  const { 'setting-overwrites': flags, 'default-execution-mode': mode = null } = document.attributes;
  if (!isRecord(flags)) return;
  const isOwn = ['default-execution-mode', 'execution-mode'].some((name) => flags[name] === true);
  if (mode !== null && typeof mode !== 'string')
    throw unusableResource('projects', document.id, 'default-execution-mode');
  const pool = mode === 'agent' ? (relatedId(document, 'default-agent-pool') ?? null) : null;
  attributes['default-execution-mode'] = isOwn ? mode : null;
  attributes['default-agent-pool'] = isOwn ? pool : null;
  if (isOwn || mode === null) return;
  attributes['inherited-execution-mode'] = mode;
  attributes['inherited-agent-pool'] = pool;
}

/**
 * Converts a `team-projects` document to a live grant (interface, section 2.4). The permissions that a level implies
 * are taken from the permission table and not from the response, which may omit them. Permissions of newer servers are
 * taken from the response, and are absent if it omits them. So is one of a custom grant that its group omits.
 *
 * @throws {NetworkError} if it has no team, or an access level that the interface does not define.
 */
export function grantFromDocument(
  document: ResourceObject,
  project: string,
  dialect: Dialect,
): GrantResource {
  const team = relatedId(document, 'team');
  const access = accessLevels.find((level) => level === document.attributes.access);
  // The id becomes a part of the address.
  const owner = relatedId(document, 'project') ?? project;
  if (!isId(team)) throw unusableResource('team-projects', document.id, 'team');
  // The list has a filter, which a service or a cache between can ignore.
  if (owner !== project)
    throw unusableResource('team-projects', document.id, 'project', `is ${owner}, not ${project}`);
  if (access === undefined) throw unusableResource('team-projects', document.id, 'access');
  return {
    kind: 'team-access',
    address: grantAddress(project, team),
    name: `${project}/${team}`,
    id: document.id,
    attributes: { project, team, access, ...effectivePermissions(document, access, dialect) },
  };
}

function effectivePermissions(document: ResourceObject, access: AccessLevel, dialect: Dialect): Values {
  const implied = access === 'custom' ? undefined : impliedPermissions[access];
  const isImplied = (path: PermissionPath) => implied !== undefined && permissions[path].only === undefined;
  const answered = permissionsFromWire(document.attributes, dialect, document.id, (path) => !isImplied(path));
  const places = permissionPlaces[dialect];
  const effective = places.flatMap(({ path, holder, name }): (readonly [PermissionPath, Value])[] => {
    if (isImplied(path)) return [[path, implied?.[path] ?? null]];
    const group = document.attributes[holder];
    const isUnknown =
      permissions[path].only !== undefined || (isRecord(group) && !Object.hasOwn(group, name));
    const value = answered[path] ?? (isUnknown ? undefined : permissions[path].customDefault);
    return value === undefined ? [] : [[path, value]];
  });
  return Object.fromEntries(effective);
}

type Offering = Pick<ServiceReader, 'capabilities'>;

/** Documents without the flags of `setting-overwrites` show that these are not offered. */
export function noteMissingFlags({ capabilities }: Offering, workspaces: readonly WorkspaceResource[]): void {
  const hasNoFlags = ({ attributes }: WorkspaceResource) =>
    attributes[modeFlag] === undefined && attributes[poolFlag] === undefined;
  if (workspaces.length > 0 && workspaces.every(hasNoFlags)) capabilities.recordMissing('setting-overwrites');
}

/** Some services return `false` for every workspace, even for those with their own mode. For these, the files declare the feature as missing. */
export function withMeaningfulFlags(
  { capabilities }: Offering,
  workspace: WorkspaceResource,
): WorkspaceResource {
  if (!capabilities.lacks('setting-overwrites')) return workspace;
  const { [modeFlag]: _mode, [poolFlag]: _pool, ...attributes } = workspace.attributes;
  return { ...workspace, attributes };
}
