import { retentionFromDocument } from '../live/workspace-details.ts';
import type { Dialect } from '../model/dialect.ts';
import { permissionPaths, permissionWireName } from '../model/permissions.ts';
import type { Call } from '../model/plan.ts';
import type { ListRule } from '../model/state.ts';
import { isRecord, type Value, type Values } from '../model/value.ts';
import { relatedId } from '../service/documents.ts';
import { attributesFromWire } from '../service/wire-codec.ts';
import type { CallKind } from './call-kind.ts';
import { attributesOf, dataOf } from './lost-answer.ts';

/** What a call writes, under neutral names and ids: a plan's call read backwards. */
export interface Written {
  readonly values: Values;
  readonly tags?: ListRule;
  readonly consumers?: ListRule;
}

export function writtenValues(kind: CallKind, call: Call, dialect: Dialect): Written {
  switch (kind) {
    case 'create-workspace':
    case 'update-workspace':
      return { values: workspaceValues(call, dialect) };
    case 'create-grant':
    case 'update-grant':
      return { values: grantValues(call, dialect) };
    case 'ssh-key':
      return { values: { 'ssh-key': (attributesOf(call).id ?? null) as Value } };
    case 'data-retention':
      return { values: { 'data-retention': call.method === 'POST' ? sentRetention(call) : null } };
    case 'lock':
    case 'unlock':
      return { values: { lock: { locked: kind === 'lock' } } };
    case 'tags':
      return {
        values: {},
        tags: listRule(call, ({ attributes }) => isRecord(attributes) && attributes.name),
      };
    case 'consumers':
      return { values: {}, consumers: listRule(call, ({ id }) => id) };
    case 'delete-grant':
    case 'delete-workspace':
      return { values: {} };
    default:
      return kind satisfies never;
  }
}

function workspaceValues(call: Call, dialect: Dialect): Record<string, Value> {
  const wire = attributesOf(call);
  const project = sentProject(call);
  return {
    ...attributesFromWire(wire, dialect, 'sent'),
    ...(typeof wire.name === 'string' && { name: wire.name }),
    ...(wire['vcs-repo'] === null && { 'vcs-repo': null }),
    ...(project && { project }),
  };
}

function grantValues(call: Call, dialect: Dialect): Record<string, Value> {
  const sent = attributesOf(call);
  const permissions = permissionPaths.flatMap((path) => {
    const group = sent[path.slice(0, path.indexOf('.'))];
    const value = isRecord(group) ? group[permissionWireName(path, dialect)] : undefined;
    return value === undefined ? [] : [[path, value as Value] as const];
  });
  return { access: sent.access as Value, ...Object.fromEntries(permissions) };
}

/** The policy that was sent, read by the same rules as the one that is answered. */
export function sentRetention(call: Call): Value {
  return retentionFromDocument({ data: { id: 'sent', ...dataOf(call) } }, call.path);
}

/** The project that a create or an update names. */
export function sentProject(call: Call): string | null | undefined {
  const { relationships } = dataOf(call);
  return relatedId({ relationships: isRecord(relationships) ? relationships : {} }, 'project');
}

function listRule(call: Call, keyOf: (item: Readonly<Record<string, unknown>>) => unknown): ListRule {
  const data = isRecord(call.body) && Array.isArray(call.body.data) ? call.body.data : [];
  const keys = data.flatMap((item: unknown) => (isRecord(item) ? [String(keyOf(item))] : []));
  if (call.method === 'PATCH') return { exactly: keys };
  return call.method === 'POST' ? { add: keys, remove: [] } : { add: [], remove: keys };
}
