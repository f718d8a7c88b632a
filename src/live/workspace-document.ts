import { type AttributePath, wirePlaces, workspaceAttributes } from '../model/attributes.ts';
import type { Dialect } from '../model/dialect.ts';
import { type WorkspaceResource, workspaceAddress } from '../model/state.ts';
import { isRecord, sameValue, sortedSet, type Value, type Values } from '../model/value.ts';
import { type ResourceObject, relatedId } from '../service/documents.ts';
import { pathTo } from '../service/endpoints.ts';
import { NetworkError } from '../service/service-error.ts';

/**
 * Turns a workspace document into a live resource: neutral names, dots for nesting, only what the document tells
 * (interface, section 2.1). Consumers and data retention are not in it: they are read apart.
 *
 * @throws {NetworkError} where a value has a type that the interface does not give it.
 */
export function workspaceFromDocument(document: ResourceObject, dialect: Dialect): WorkspaceResource {
  const { attributes: wire, id } = document;
  const name = wire.name;
  if (typeof name !== 'string' || name === '') throw unusable(id, 'name');

  const attributes = attributesFromWire(wire, dialect, id);
  if (wire['vcs-repo'] === null) attributes['vcs-repo'] = null;
  // The pool stands in a relationship; some services repeat it as an attribute.
  const pool = relatedId(document, 'agent-pool');
  if (pool !== undefined) attributes['agent-pool-id'] = pool;
  if (attributes.operations === undefined && typeof attributes['execution-mode'] === 'string') {
    attributes.operations = attributes['execution-mode'] !== 'local';
  }

  const project = relatedId(document, 'project');
  if (project) attributes.project = project;
  // Absent where there is none, in some documents.
  attributes['ssh-key'] = relatedId(document, 'ssh-key') ?? null;
  attributes.tags = tagNames(wire['tag-names'], id, dialect);
  attributes.lock = lock(document, id);
  const resourceCount = wire['resource-count'];
  if (typeof resourceCount === 'number') attributes['resource-count'] = resourceCount;
  // `null` here means that nothing is set on the workspace itself, which saves a request.
  const policy = relatedId(document, 'data-retention-policy');
  if (policy === null) attributes['data-retention'] = null;
  else if (policy !== undefined) attributes['data-retention-policy'] = policy;
  // Then the schedule that it shows is its project's.
  if (wire['inherits-project-auto-destroy'] === true && hasSchedule(attributes)) {
    attributes['inherits-project-auto-destroy'] = true;
  }

  const listed = otherwiseListed(wire, dialect, attributes);
  const address = workspaceAddress(name);
  return { kind: 'workspace', address, name, id, attributes, ...(listed && { listed }) };
}

/** The sets of the document whose order or repetitions are lost in the attributes; `undefined` for none. */
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

function hasSchedule(attributes: Values): boolean {
  return Boolean(attributes['auto-destroy-at'] ?? attributes['auto-destroy-activity-duration']);
}

/** The attributes of the table that an object on the wire holds, sent or answered, under their neutral dotted names. */
export function attributesFromWire(
  wire: Readonly<Record<string, unknown>>,
  dialect: Dialect,
  id: string,
): Record<string, Value> {
  const attributes: Record<string, Value> = {};
  for (const { path, holder, name } of wirePlaces[dialect]) {
    const mapping = holder === undefined ? wire : wire[holder];
    const value = isRecord(mapping) ? mapping[name] : undefined;
    if (value !== undefined) attributes[path] = checked(path, value, id);
  }
  return attributes;
}

function checked(path: AttributePath, value: unknown, id: string): Value {
  const { type } = workspaceAttributes[path];
  if (value === null) return type === 'strings' ? [] : null;
  if (type === 'strings') {
    // A set has no order, so that of an answer must not show in a plan.
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return sortedSet(value);
  } else if (typeof value === type) {
    return value as Value;
  }
  throw unusable(id, path);
}

function tagNames(value: unknown, id: string, dialect: Dialect): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every((tag) => typeof tag === 'string'))
    throw unusable(id, 'tag-names');
  return sortedSet(dialect === 'terraform' ? value.map((tag) => tag.toLowerCase()) : value);
}

function lock(document: ResourceObject, id: string): Value {
  const { locked, 'locked-reason': reason } = document.attributes;
  if (locked !== undefined && locked !== null && typeof locked !== 'boolean') throw unusable(id, 'locked');
  const by = relatedId(document, 'locked-by');
  return {
    locked: locked === true,
    ...(locked === true && typeof reason === 'string' && reason !== '' && { reason }),
    ...(locked === true && typeof by === 'string' && { by }),
  };
}

function unusable(id: string, member: string): NetworkError {
  return new NetworkError(
    { method: 'GET', path: pathTo('showWorkspace', { workspace: id }) },
    `the workspace document is not usable: its ${member} is missing or of another type than the interface gives it`,
    { hint: 'check that the address is the service itself, and that service.dialect is its dialect' },
  );
}
