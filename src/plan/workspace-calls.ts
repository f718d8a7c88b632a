import type { AttributePath } from '../model/attribute-values.ts';
import {
  attributePaths,
  destroyDuration,
  destroyTime,
  inheritsPool,
  isAttributePath,
  modeFlag,
  poolFlag,
} from '../model/attributes.ts';
import type { FieldChange, WorkspaceChange } from '../model/change.ts';
import type { Dialect } from '../model/dialect.ts';
import type { Call, Written } from '../model/plan.ts';
import { placeholderOf } from '../model/state.ts';
import { isRecord, listTexts, type Value, type Values } from '../model/value.ts';
import type { PathParameters } from '../service/endpoints.ts';
import { callTo, type DirectOperation, deletionOf, moveOf, recoveryOf } from './operation-endpoints.ts';
import { addedBindings, replacedBindings } from './project-calls.ts';

/** The operations whose endpoint has the id of the workspace in its path. */
type WorkspaceOperation = {
  [Name in DirectOperation]: 'workspace' extends keyof PathParameters<Name> ? Name : never;
}[DirectOperation];
type Step = readonly [WorkspaceOperation, Written];

const unlocking: Step = ['unlockWorkspace', { values: {} }];
const forcedUnlocking: Step = ['forceUnlockWorkspace', { values: {} }];

export function workspaceCalls(change: WorkspaceChange, organization: string, dialect: Dialect): Call[] {
  const workspace = change.live?.id ?? placeholderOf(change.address);
  const call = ([operation, written]: Step) => callTo(operation, { workspace }, written, dialect);
  if (change.action === 'delete') {
    const deletion = deletionOf(workspace, change.deleteMode ?? 'safe');
    return change.unlocks ? [call(unlocking), deletion] : [deletion];
  }
  const destination = onlyMove(change, dialect);
  if (destination !== undefined) return [moveOf(workspace, destination, dialect)];
  const field = (name: string) => change.fields.find((candidate) => candidate.path === name);
  const lock = field('lock');
  const sshKey = field('ssh-key');
  const { recovers } = change;
  const added = addedBindings(change);
  const steps: readonly (readonly Step[])[] = [
    lock?.after === false ? [change.forcesUnlock ? forcedUnlocking : unlocking] : [],
    change.action === 'update' ? settings(change, dialect) : [],
    added ? [['upsertBindings', added]] : [],
    createsTags(change, dialect) ? [] : tagSteps(field('tags')),
    consumerSteps(change, field('remote-state-consumers')),
    sshKey ? [['assignSshKey', { values: { 'ssh-key': sshKey.after } }]] : [],
    retentionSteps(field('data-retention')),
    lock?.after === true
      ? [['lockWorkspace', { values: { lock: change.target?.attributes.lock ?? null } }]]
      : [],
  ];
  return [
    recovers ? recoveryOf(recovers) : [],
    change.action === 'create' ? creation(change, organization, dialect) : [],
    steps.flat().map(call),
  ].flat();
}

/** The project of a workspace that is moved and not changed otherwise. Only the live service moves several at once. */
function onlyMove({ action, fields }: WorkspaceChange, dialect: Dialect): string | undefined {
  const [field, ...others] = fields;
  if (action !== 'update' || dialect !== 'terraform' || field?.path !== 'project' || others.length > 0)
    return undefined;
  return typeof field.after === 'string' ? field.after : undefined;
}

function creation(change: WorkspaceChange, organization: string, dialect: Dialect): Call {
  const { add = [] } = change.fields.find(({ path }) => path === 'tags') ?? {};
  const written = settingsOf(change, { name: change.name }, withoutImpliedFlag(changedAttributes(change)));
  const sendsTags = add.length > 0 && createsTags(change, dialect);
  const sent = sendsTags ? { ...written, tags: { add, remove: [] } } : written;
  return callTo('createWorkspace', { organization }, sent, dialect);
}

/** The live service takes flat tags with a create, which saves a call; the neutral interface does not. */
function createsTags({ action }: WorkspaceChange, dialect: Dialect): boolean {
  return action === 'create' && dialect === 'terraform';
}

/** One PATCH for all changed attributes, the name and the project. */
function settings(change: WorkspaceChange, dialect: Dialect): Step[] {
  const changed = withDestroySchedule(change, changedAttributes(change), dialect);
  const attributes = withCoupled(change, changed, dialect);
  const renamed = change.live?.name !== change.target?.name;
  const moved = change.fields.some((field) => field.path === 'project');
  const detached = change.fields.some((field) => field.path === 'vcs-repo');
  const rebound = replacedBindings(change) !== undefined;
  if (attributes.size === 0 && !renamed && !moved && !detached && !rebound) return [];
  return [['updateWorkspace', settingsOf(change, renamed ? { name: change.name } : {}, attributes)]];
}

function settingsOf(
  change: WorkspaceChange,
  named: Values,
  attributes: ReadonlyMap<AttributePath, Value>,
): Written {
  const project = change.fields.find((field) => field.path === 'project')?.after;
  const detached = change.fields.some((field) => field.path === 'vcs-repo');
  const exactly = replacedBindings(change);
  return {
    values: {
      ...named,
      ...Object.fromEntries(attributes),
      ...(detached && { 'vcs-repo': null }),
      ...(project && { project }),
    },
    bindings: exactly && { exactly },
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
  modeFlag,
  poolFlag,
] as const satisfies readonly AttributePath[];

const flagPaths = [modeFlag, poolFlag] as const;

/**
 * Live services keep one destroy schedule: they clear the time together with the duration, and a time that is sent without the
 * duration replaces it. What is kept is sent with what changes.
 */
function withDestroySchedule(
  change: WorkspaceChange,
  changed: ReadonlyMap<AttributePath, Value>,
  dialect: Dialect,
): Map<AttributePath, Value> {
  const { [destroyTime]: time = null, [destroyDuration]: duration = null } = change.target?.attributes ?? {};
  if (changed.get(destroyDuration) === null && time !== null)
    return inTableOrder(new Map([...changed, [destroyTime, time]]));
  if (dialect === 'terraform' && changed.has(destroyTime) && duration !== null)
    return inTableOrder(new Map([...changed, [destroyDuration, duration]]));
  return new Map(changed);
}

/**
 * An execution mode is sent with its pool and overwrite flags even if one is unchanged: the service refuses or
 * misinterprets one without the others (interface, section 2.1). Inherited values are omitted, because the workspace
 * would stop inheriting them.
 */
function withCoupled(
  change: WorkspaceChange,
  changed: Map<AttributePath, Value>,
  dialect: Dialect,
): Map<AttributePath, Value> {
  if (!executionPaths.some((path) => changed.has(path))) return changed;
  const target = change.target?.attributes ?? {};
  const inherits = (flag: AttributePath) => target[flag] === false;
  const keepsOwnPool = dialect === 'iac' && inherits(modeFlag) && Boolean(target['agent-pool-id']);
  // Live services require equal flags, so an undeclared one that differs is omitted.
  const flag = flagPaths.map((path) => changed.get(path)).find((value) => value !== undefined);
  const together = flag ?? target[modeFlag];
  // A mode that a workspace begins to inherit can be unknown, and a pool is refused with another mode than agent.
  const sendsPool =
    (target['execution-mode'] ?? change.live?.attributes['execution-mode']) === 'agent' &&
    !inheritsPool((flag) => target[flag]) &&
    !(changed.get(modeFlag) === false && !changed.has(poolFlag));
  const coupled = new Map(changed);
  if (changed.has('execution-mode')) coupled.delete('agent-pool-id');
  for (const path of executionPaths) {
    const value = target[path];
    if (coupled.has(path) || value === undefined || value === null) continue;
    if (path === 'execution-mode' && inherits(modeFlag)) continue;
    if (path === 'agent-pool-id' && !sendsPool) continue;
    const isFlag = flagPaths.some((flag) => flag === path);
    if (isFlag && value !== together && !(path === poolFlag && keepsOwnPool)) continue;
    coupled.set(path, value);
  }
  if (coupled.has('execution-mode') && inherits(poolFlag)) coupled.set(poolFlag, false);
  return inTableOrder(withoutImpliedFlag(coupled));
}

/** Sending a mode makes its own flag true, and live services refuse flags that differ: beside an inherited pool it is omitted. */
function withoutImpliedFlag(values: ReadonlyMap<AttributePath, Value>): ReadonlyMap<AttributePath, Value> {
  const isImplied = values.has('execution-mode') && values.get(poolFlag) === false;
  return new Map([...values].filter(([path]) => !(isImplied && path === modeFlag)));
}

/** Sorted, so that the same change gives the same bytes. */
function inTableOrder(values: ReadonlyMap<AttributePath, Value>): Map<AttributePath, Value> {
  return new Map(
    attributePaths.filter((path) => values.has(path)).map((path) => [path, values.get(path) ?? null]),
  );
}

function tagSteps({ add = [], remove = [] }: Partial<FieldChange> = {}): Step[] {
  const adding: Step[] = add.length > 0 ? [['addTags', { values: {}, tags: { add, remove: [] } }]] : [];
  return remove.length > 0 ? [...adding, ['removeTags', { values: {}, tags: { add: [], remove } }]] : adding;
}

function consumerSteps(change: WorkspaceChange, field: FieldChange | undefined): Step[] {
  const { add = [], remove = [], after } = field ?? {};
  // A new workspace has no consumers, so an empty list needs no call.
  if (field === undefined || (change.action === 'create' && field.add?.length === 0)) return [];
  if (change.additiveConsumers !== true) {
    return [['replaceConsumers', { values: {}, consumers: { exactly: listTexts(after) } }]];
  }
  const adding: Step[] =
    add.length > 0 ? [['addConsumers', { values: {}, consumers: { add, remove: [] } }]] : [];
  return remove.length > 0
    ? [...adding, ['removeConsumers', { values: {}, consumers: { add: [], remove } }]]
    : adding;
}

/** Posting a policy of the other type replaces the one that is there: no delete is needed. */
function retentionSteps(field: FieldChange | undefined): Step[] {
  if (field === undefined) return [];
  const operation = isRecord(field.after) ? 'setRetention' : 'removeRetention';
  return [[operation, { values: { 'data-retention': field.after } }]];
}
