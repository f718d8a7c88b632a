import { type AttributePath, attributePaths, isAttributePath } from '../model/attributes.ts';
import type { FieldChange, WorkspaceChange } from '../model/change.ts';
import type { Dialect } from '../model/dialect.ts';
import type { Call } from '../model/plan.ts';
import { isRecord, type Value } from '../model/value.ts';
import { bindingsBody, consumersBody, retentionBody, sshKeyBody, tagsBody } from '../service/endpoints.ts';
import { settingsToWire } from '../service/wire-codec.ts';
import { callTo, deletionOf } from './operation-endpoints.ts';
import { replacedBindings, upsertCalls } from './project-calls.ts';

/** The calls that make a change of a workspace, in their order. */
export function workspaceCalls(change: WorkspaceChange, organization: string, dialect: Dialect): Call[] {
  const workspace = change.live?.id ?? `{${change.address}}`;
  if (change.action === 'delete') {
    return [
      ...(change.unlocks ? [callTo('unlockWorkspace', { workspace })] : []),
      deletionOf(workspace, change.deleteMode ?? 'safe'),
    ];
  }
  const field = (name: string) => change.fields.find((candidate) => candidate.path === name);
  const lock = field('lock');
  const list = field('remote-state-consumers');
  // A new workspace has no consumers, so an empty list needs no call.
  const consumers = change.action === 'create' && list?.add?.length === 0 ? undefined : list;
  return [
    ...(change.action === 'create' ? [creation(change, organization, dialect)] : []),
    ...(lock?.after === false ? [callTo('unlockWorkspace', { workspace })] : []),
    ...(change.action === 'update' ? settings(change, workspace, dialect) : []),
    ...upsertCalls(change, (body) => callTo('upsertBindings', { workspace }, body)),
    ...(createsTags(change, dialect) ? [] : tagCalls(field('tags'), workspace)),
    ...consumerCalls(consumers, workspace, change.additiveConsumers === true),
    ...sshKeyCalls(field('ssh-key'), workspace),
    ...retentionCalls(field('data-retention'), workspace),
    ...(lock?.after === true ? [lockCall(change, workspace)] : []),
  ];
}

function creation(change: WorkspaceChange, organization: string, dialect: Dialect): Call {
  const tags = createsTags(change, dialect)
    ? change.fields.find(({ path }) => path === 'tags')?.add
    : undefined;
  const body = workspaceBody(change.name, changedAttributes(change), change, {
    dialect,
    ...(tags && tags.length > 0 && { tags }),
  });
  return callTo('createWorkspace', { organization }, body);
}

/** The live service takes flat tags with a create, which saves a call; the neutral interface does not. */
function createsTags({ action }: WorkspaceChange, dialect: Dialect): boolean {
  return action === 'create' && dialect === 'terraform';
}

/** One PATCH for all changed attributes, the name and the project. */
function settings(change: WorkspaceChange, workspace: string, dialect: Dialect): Call[] {
  const attributes = withCoupled(change, withDestroySchedule(change, changedAttributes(change), dialect));
  const renamed = change.live?.name !== change.name;
  const moved = change.fields.some((field) => field.path === 'project');
  const detached = change.fields.some((field) => field.path === 'vcs-repo');
  const rebound = replacedBindings(change) !== undefined;
  if (attributes.size === 0 && !renamed && !moved && !detached && !rebound) return [];
  const body = workspaceBody(renamed ? change.name : undefined, attributes, change, { dialect });
  return [callTo('updateWorkspace', { workspace }, body)];
}

function workspaceBody(
  name: string | undefined,
  attributes: ReadonlyMap<AttributePath, Value>,
  change: WorkspaceChange,
  { dialect, tags }: { readonly dialect: Dialect; readonly tags?: readonly string[] },
): Value {
  const project = change.fields.find((field) => field.path === 'project')?.after;
  const detached = change.fields.some((field) => field.path === 'vcs-repo');
  const bindings = replacedBindings(change);
  const relationships: Record<string, Value> = {
    ...(project && { project: { data: { type: 'projects', id: project } } }),
    ...(tags && { tags: tagsBody(tags) }),
    ...(bindings && { 'tag-bindings': bindingsBody(bindings) }),
  };
  return {
    data: {
      type: 'workspaces',
      attributes: {
        ...(name !== undefined && { name }),
        ...settingsToWire(attributes, dialect),
        ...(detached && { 'vcs-repo': null }),
      },
      ...(Object.keys(relationships).length > 0 && { relationships }),
    },
  };
}

function changedAttributes(change: WorkspaceChange): Map<AttributePath, Value> {
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

const modeFlag = 'setting-overwrites.execution-mode';
const poolFlag = 'setting-overwrites.agent-pool';
const flagPaths = [modeFlag, poolFlag] as const;

function isFlag(path: AttributePath): boolean {
  return flagPaths.some((flag) => flag === path);
}

/**
 * Live services keep one destroy schedule: they clear the time together with the duration, and a time that is sent without the
 * duration replaces it. What is kept is sent with what changes.
 */
function withDestroySchedule(
  change: WorkspaceChange,
  changed: ReadonlyMap<AttributePath, Value>,
  dialect: Dialect,
): Map<AttributePath, Value> {
  const { 'auto-destroy-at': time = null, 'auto-destroy-activity-duration': duration = null } =
    change.target?.attributes ?? {};
  if (changed.get('auto-destroy-activity-duration') === null && time !== null)
    return inTableOrder(new Map([...changed, ['auto-destroy-at', time]]));
  if (dialect === 'terraform' && changed.has('auto-destroy-at') && duration !== null)
    return inTableOrder(new Map([...changed, ['auto-destroy-activity-duration', duration]]));
  return new Map(changed);
}

/**
 * An execution mode is sent with its pool and overwrite flags even if one is unchanged: the service refuses or
 * misinterprets one without the others (interface, section 2.1). Inherited values are omitted, because the workspace
 * would stop inheriting them.
 */
function withCoupled(change: WorkspaceChange, changed: Map<AttributePath, Value>): Map<AttributePath, Value> {
  if (!executionPaths.some((path) => changed.has(path))) return changed;
  const target = change.target?.attributes ?? {};
  const inherits = (flag: AttributePath) => target[flag] === false;
  // If both flags are sent, they must be equal, so an undeclared one that differs is omitted.
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
  // Sending the mode sets both flags, so only the flag that keeps the organization's pool is sent.
  if (target['execution-mode'] === 'agent' && !inherits(modeFlag) && inherits(poolFlag)) {
    coupled.delete(modeFlag);
    coupled.set(poolFlag, false);
  }
  return inTableOrder(coupled);
}

/** Sorted, so that the same change gives the same bytes. */
function inTableOrder(values: ReadonlyMap<AttributePath, Value>): Map<AttributePath, Value> {
  return new Map(
    attributePaths.filter((path) => values.has(path)).map((path) => [path, values.get(path) ?? null]),
  );
}

function tagCalls(field: FieldChange | undefined, workspace: string): Call[] {
  const { add = [], remove = [] } = field ?? {};
  return [
    ...(add.length > 0 ? [callTo('addTags', { workspace }, tagsBody(add))] : []),
    ...(remove.length > 0 ? [callTo('removeTags', { workspace }, tagsBody(remove))] : []),
  ];
}

function consumerCalls(field: FieldChange | undefined, workspace: string, additive: boolean): Call[] {
  if (field === undefined) return [];
  const { add = [], remove = [], after } = field;
  if (!additive) {
    return [callTo('replaceConsumers', { workspace }, consumersBody(Array.isArray(after) ? after : []))];
  }
  return [
    ...(add.length > 0 ? [callTo('addConsumers', { workspace }, consumersBody(add))] : []),
    ...(remove.length > 0 ? [callTo('removeConsumers', { workspace }, consumersBody(remove))] : []),
  ];
}

function sshKeyCalls(field: FieldChange | undefined, workspace: string): Call[] {
  return field ? [callTo('assignSshKey', { workspace }, sshKeyBody(field.after))] : [];
}

/** Posting a policy of the other type replaces the one that is there: no delete is needed. */
function retentionCalls(field: FieldChange | undefined, workspace: string): Call[] {
  if (field === undefined) return [];
  if (!isRecord(field.after)) return [callTo('removeRetention', { workspace })];
  return [callTo('setRetention', { workspace }, retentionBody(field.after))];
}

/** The body is plain JSON and not a JSON:API document (interface, section 4.3). */
function lockCall(change: WorkspaceChange, workspace: string): Call {
  const lock = change.target?.attributes.lock;
  const reason = isRecord(lock) ? lock.reason : undefined;
  return callTo('lockWorkspace', { workspace }, typeof reason === 'string' ? { reason } : undefined);
}
