import { type AttributePath, attributePaths, isAttributePath } from '../model/attributes.ts';
import type { Change, FieldChange } from '../model/change.ts';
import type { Dialect } from '../model/dialect.ts';
import type { Call } from '../model/plan.ts';
import { isRecord, type Value } from '../model/value.ts';
import { wireAttributes } from './wire-attributes.ts';

/** The calls that make a change of a workspace, in their order. */
export function workspaceCalls(change: Change, organization: string, dialect: Dialect): Call[] {
  const path = `/workspaces/${change.live?.id ?? `{${change.address}}`}`;
  if (change.action === 'delete') return [deletion(change, path)];
  const field = (name: string) => change.fields.find((candidate) => candidate.path === name);
  const lock = field('lock');
  const list = field('remote-state-consumers');
  // A new workspace has no consumers, so an empty list needs no call.
  const consumers = change.action === 'create' && list?.add?.length === 0 ? undefined : list;
  return [
    ...(change.action === 'create' ? [creation(change, organization, dialect)] : []),
    ...(lock?.after === false ? [{ method: 'POST', path: `${path}/actions/unlock` } as const] : []),
    ...(change.action === 'update' ? settings(change, path, dialect) : []),
    ...tagCalls(field('tags'), path),
    ...consumerCalls(consumers, path, change.additiveConsumers === true),
    ...sshKeyCalls(field('ssh-key'), path),
    ...retentionCalls(field('data-retention'), path),
    ...(lock?.after === true ? [lockCall(change, path)] : []),
  ];
}

function deletion(change: Change, path: string): Call {
  return change.deleteMode === 'force'
    ? { method: 'DELETE', path }
    : { method: 'POST', path: `${path}/actions/safe-delete` };
}

function creation(change: Change, organization: string, dialect: Dialect): Call {
  return {
    method: 'POST',
    path: `/organizations/${encodeURIComponent(organization)}/workspaces`,
    body: workspaceBody(change.name, changedAttributes(change), change, dialect),
  };
}

/** One PATCH for all changed attributes, the name and the project. */
function settings(change: Change, path: string, dialect: Dialect): Call[] {
  const attributes = withCoupled(change, changedAttributes(change));
  const renamed = change.live?.name !== change.name;
  const moved = change.fields.some((field) => field.path === 'project');
  const detached = change.fields.some((field) => field.path === 'vcs-repo');
  if (attributes.size === 0 && !renamed && !moved && !detached) return [];
  const body = workspaceBody(renamed ? change.name : undefined, attributes, change, dialect);
  return [{ method: 'PATCH', path, body }];
}

function workspaceBody(
  name: string | undefined,
  attributes: ReadonlyMap<AttributePath, Value>,
  change: Change,
  dialect: Dialect,
): Value {
  const project = change.fields.find((field) => field.path === 'project')?.after;
  const detached = change.fields.some((field) => field.path === 'vcs-repo');
  return {
    data: {
      type: 'workspaces',
      attributes: {
        ...(name !== undefined && { name }),
        ...wireAttributes(attributes, dialect),
        ...(detached && { 'vcs-repo': null }),
      },
      ...(project && { relationships: { project: { data: { type: 'projects', id: project } } } }),
    },
  };
}

function changedAttributes(change: Change): Map<AttributePath, Value> {
  const changed = new Map<AttributePath, Value>();
  for (const { path, after } of change.fields) if (isAttributePath(path)) changed.set(path, after);
  return changed;
}

const executionPaths = [
  'execution-mode',
  'agent-pool-id',
  'setting-overwrites.execution-mode',
  'setting-overwrites.agent-pool',
] as const satisfies readonly AttributePath[];

const flagPaths = ['setting-overwrites.execution-mode', 'setting-overwrites.agent-pool'] as const;

function isFlag(path: AttributePath): boolean {
  return flagPaths.some((flag) => flag === path);
}

/**
 * An execution mode goes together with its pool and overwrite flags even where one is unchanged: the service refuses
 * or misreads the one without the others (interface, section 2.1). Inherited values stay out: sending them would make
 * them the workspace's own.
 */
function withCoupled(change: Change, changed: Map<AttributePath, Value>): Map<AttributePath, Value> {
  if (!executionPaths.some((path) => changed.has(path))) return changed;
  const target = change.target?.attributes ?? {};
  const inherits = (flag: AttributePath) => target[flag] === false;
  // Both flags must be the same where both are sent; one that nobody declares and that differs stays out.
  const flag = flagPaths.map((path) => changed.get(path)).find((value) => value !== undefined);
  const together = flag ?? target['setting-overwrites.execution-mode'];
  const coupled = new Map(changed);
  for (const path of executionPaths) {
    const value = target[path];
    if (coupled.has(path) || value === undefined || value === null) continue;
    if (path === 'execution-mode' && inherits('setting-overwrites.execution-mode')) continue;
    if (path === 'agent-pool-id' && (target['execution-mode'] !== 'agent' || flagPaths.some(inherits)))
      continue;
    if (isFlag(path) && value !== together) continue;
    coupled.set(path, value);
  }
  // Kept in the table's order, so that the same change has the same bytes whatever brought it about.
  return new Map(
    attributePaths.filter((path) => coupled.has(path)).map((path) => [path, coupled.get(path) ?? null]),
  );
}

function tagCalls(field: FieldChange | undefined, path: string): Call[] {
  const call = (method: 'POST' | 'DELETE', tags: readonly string[] = []): Call[] =>
    tags.length === 0
      ? []
      : [
          {
            method,
            path: `${path}/relationships/tags`,
            body: { data: tags.map((name) => ({ type: 'tags', attributes: { name } })) },
          },
        ];
  return [...call('POST', field?.add), ...call('DELETE', field?.remove)];
}

function consumerCalls(field: FieldChange | undefined, path: string, additive: boolean): Call[] {
  if (field === undefined) return [];
  const call = (method: Call['method'], ids: readonly Value[]): Call => ({
    method,
    path: `${path}/relationships/remote-state-consumers`,
    body: { data: ids.map((id) => ({ type: 'workspaces', id })) },
  });
  const { add = [], remove = [] } = field;
  if (!additive) return [call('PATCH', Array.isArray(field.after) ? field.after : [])];
  return [
    ...(add.length > 0 ? [call('POST', add)] : []),
    ...(remove.length > 0 ? [call('DELETE', remove)] : []),
  ];
}

function sshKeyCalls(field: FieldChange | undefined, path: string): Call[] {
  if (field === undefined) return [];
  const body = { data: { type: 'workspaces', attributes: { id: field.after } } };
  return [{ method: 'PATCH', path: `${path}/relationships/ssh-key`, body }];
}

/** Posting a policy of the other type replaces the one that is there: no delete is needed. */
function retentionCalls(field: FieldChange | undefined, path: string): Call[] {
  if (field === undefined) return [];
  const policy = `${path}/relationships/data-retention-policy`;
  if (!isRecord(field.after)) return [{ method: 'DELETE', path: policy }];
  const days = field.after['delete-older-than-days'] as Value | undefined;
  const data =
    days === undefined
      ? { type: 'data-retention-policy-dont-deletes', attributes: {} }
      : { type: 'data-retention-policy-delete-olders', attributes: { 'delete-older-than-n-days': days } };
  return [{ method: 'POST', path: policy, body: { data } }];
}

/** The reason goes as the interface shows it, plain and not as a JSON:API document (section 4.3). */
function lockCall(change: Change, path: string): Call {
  const lock = change.target?.attributes.lock;
  const reason = isRecord(lock) ? lock.reason : undefined;
  return {
    method: 'POST',
    path: `${path}/actions/lock`,
    ...(typeof reason === 'string' && { body: { reason } }),
  };
}
