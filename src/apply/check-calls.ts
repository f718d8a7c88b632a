import { sameAttribute } from '../diff/normalize.ts';
import { kindOfId, referencePaths } from '../model/alias-kind.ts';
import { destroyDuration, destroyTime, modeFlag } from '../model/attributes.ts';
import type { Action } from '../model/change.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { impliedPermissions, isFixedLevel, isPermissionPath, permissions } from '../model/permissions.ts';
import {
  type Call,
  type Operation,
  type Plan,
  type PlannedChange,
  sentChanges,
  type WriteRequest,
} from '../model/plan.ts';
import {
  isUncreatedProject,
  type ListRule,
  placeholderOf,
  type ResourceKind,
  uncreatedProject,
} from '../model/state.ts';
import { asBindings, type BindingRule, bindingDifference } from '../model/tag-bindings.ts';
import { sameValue, type Value } from '../model/value.ts';
import { endpointOf, moveOf } from '../plan/operation-endpoints.ts';
import { isLocked } from '../relations/relations.ts';
import { bodyOf, writtenBy } from '../service/call-codec.ts';
import { isId } from '../service/documents.ts';
import { requestTo } from '../service/endpoints.ts';
import { planAgainHint } from './changed-since-plan.ts';
import { applyingKinds } from './kinds.ts';

/** The change that a call belongs to, of a saved plan or of a journal. */
export interface CallOwner {
  readonly address: string;
  readonly kind: ResourceKind;
  readonly action: Action;
  readonly id?: string | undefined;
}

/**
 * Why a call does not belong to its change: its action, object or organization differs, or its path is not the one that
 * Attune builds. Any user who can write to a journal or to a plan file can change the calls in it.
 */
export function callMisfit(call: Call, owner: CallOwner, organization: string): string | undefined {
  if (!applyingKinds[owner.kind].operations[owner.action].includes(call.operation)) {
    return `${call.method} ${call.path} does not belong to a change that is ${articled(owner.action)}`;
  }
  const { id = placeholderOf(owner.address) } = owner;
  if (owner.id !== undefined && !isId(owner.id)) return `${owner.id} is not an id`;
  const request = requestOf(call, { id, organization });
  if (call.method !== request.method) return `${call.method} ${call.path} is not a call of ${call.operation}`;
  return isSentTo(call, request) ? undefined : `${call.method} ${call.path} goes to another object`;
}

interface CallTarget {
  readonly id: string;
  readonly organization: string;
}

/** Whether the method and the path of a call are those of its operation; for a move, its workspace, too. */
export function isRequestOf(call: Call, target: CallTarget): boolean {
  const request = requestOf(call, target);
  return call.method === request.method && isSentTo(call, request);
}

function isSentTo({ path, body }: Call, request: WriteRequest): boolean {
  return path === request.path && (request.body === undefined || sameValue(body, request.body));
}

/** The request of an operation; without a body unless the body contains the object. */
function requestOf(call: Call, { id, organization }: CallTarget): WriteRequest {
  if (call.operation === 'recoverWorkspace') return requestTo('recoverItem', { id: itemOf(call) });
  if (call.operation === 'moveWorkspaces') return moveOf(id, destinationOf(call), 'terraform');
  return requestTo(endpointOf(call), { organization, workspace: id, id });
}

/** The item that a recovery recovers: only the service knows whether it is that of the workspace. */
function itemOf({ path }: Call): string {
  const [, item = 'no-item'] = /^\/recoverable-items\/([\w-]+)\//.exec(path) ?? [];
  return item;
}

/** The project of a move: each call has its own. */
function destinationOf(call: Call): string {
  const { project } = writtenBy(call, 'terraform').values;
  return typeof project === 'string' && (isId(project) || isUncreatedProject(project))
    ? project
    : 'no-project';
}

function articled(action: Action): string {
  return action === 'update' ? 'an update' : `a ${action}`;
}

/** Reports each call of a plan that does not do exactly what its change shows. */
export function checkCalls(plan: Plan): Diagnostic[] {
  return sentChanges(plan.changes).flatMap((change) =>
    changeMisfits(change, plan).map(
      (why): Diagnostic => ({
        severity: 'error',
        code: 'plan-differs',
        message: `the plan file is inconsistent: ${change.address}: ${why}`,
        address: change.address,
        hint: planAgainHint,
      }),
    ),
  );
}

const isDelete: ReadonlySet<Operation> = new Set(['deleteWorkspace', 'deleteGrant', 'deleteProject']);

function changeMisfits(change: PlannedChange, { organization, dialect }: Plan): string[] {
  const owner = { ...change, id: change.action === 'create' ? undefined : (change.id ?? '') };
  const written = new Set<string>();
  const found: string[] = [];
  for (const call of change.calls) {
    const misfit = callMisfit(call, owner, organization);
    if (misfit !== undefined) {
      found.push(misfit);
      continue;
    }
    const sent = writtenBy(call, dialect);
    const { values, tags, consumers, bindings } = sent;
    for (const [path, value] of Object.entries(values)) {
      written.add(path);
      if (change.action !== 'delete' && !isShown(change, path, value))
        found.push(`${call.method} ${call.path} writes ${path}, which is not among its fields`);
    }
    if (tags) found.push(...listMisfits(change, 'tags', tags));
    if (consumers) found.push(...listMisfits(change, 'remote-state-consumers', consumers));
    if (bindings) found.push(...bindingMisfits(change, bindings));
    if (bindings) written.add('tag-bindings');
    if (tags) written.add('tags');
    if (consumers) written.add('remote-state-consumers');
    // A body with anything else would do more than its fields show.
    if (!sameValue(call.body, bodyOf(call.operation, sent, { dialect, id: change.id })))
      found.push(`the body of ${call.method} ${call.path} contains more than its fields`);
  }
  if (change.action === 'delete') {
    const deletes = change.calls.filter(({ operation }) => isDelete.has(operation));
    if (deletes.length !== 1 || change.fields.length > 0)
      return [...found, 'it does not have exactly one delete call'];
    return deletes[0]?.mode === change.mode ? found : [...found, 'its call deletes it in another mode'];
  }
  const isWritten = ({ path, after }: PlannedChange['fields'][number]) =>
    written.has(path) ||
    // A mode that is sent makes its own flag true.
    (path === modeFlag && after === true && written.has('execution-mode')) ||
    (change.action === 'create' && Array.isArray(after) && after.length === 0);
  const missing = change.fields.filter((field) => !isWritten(field));
  return [...found, ...missing.map(({ path }) => `no call writes ${path}`)];
}

/** A value may be sent if the change shows it, or if it is live and has to be sent together with a shown one. */
function isShown(change: PlannedChange, path: string, value: Value): boolean {
  const { kind, name, action, fields, facts = {} } = change;
  if (kind === 'workspace' && path === 'name' && action === 'create') return value === name;
  const field = fields.find((one) => one.path === path);
  if (path === 'lock') return field?.after === isLocked(value);
  if (path === destroyTime && keepsDestroyTime(fields)) return true;
  if (field === undefined) return isShownByLevel(path, value, { fields, facts });
  if (referencePaths[path] === undefined || typeof value !== 'string') {
    return sameAttribute(path, value, field.after);
  }
  // A plan file does not hold the ids of aliases, so an alias matches any id. A shown id must be equal.
  const shown = String(field.after);
  if (isUncreatedProject(value)) return value === uncreatedProject(shown);
  return isId(value) && (kindOfId(shown) === undefined || shown === value);
}

/**
 * A call that clears the activity duration also sends the unchanged destroy time, which the change does not show. It is
 * compared with the live one, because the service can recompute it at any time.
 */
export function keepsDestroyTime(fields: PlannedChange['fields']): boolean {
  const duration = fields.find(({ path }) => path === destroyDuration);
  return duration?.after === null && !fields.some(({ path }) => path === destroyTime);
}

function isShownByLevel(
  path: string,
  value: Value,
  { fields, facts = {} }: Pick<PlannedChange, 'fields' | 'facts'>,
): boolean {
  if (facts[path] !== undefined) return sameAttribute(path, value, facts[path]);
  const level = facts.access;
  if (!isPermissionPath(path) || !fields.some((field) => field.path === 'access')) return false;
  // A new `custom` names every permission; unchanged ones and ones at the lowest level are not shown.
  const before = isFixedLevel(level) ? impliedPermissions(level)[path] : undefined;
  return value === permissions[path].customDefault || value === before;
}

function listMisfits({ fields }: PlannedChange, path: string, rule: ListRule): string[] {
  const field = fields.find((one) => one.path === path);
  if (field === undefined) return [`a call writes ${path}, which is not among its fields`];
  const { after, add = [], remove = [] } = field;
  const pairs: readonly [readonly string[], readonly Value[]][] =
    'exactly' in rule
      ? [[rule.exactly, Array.isArray(after) ? after : []]]
      : [
          ...(rule.add.length > 0 ? [[rule.add, add] as const] : []),
          ...(rule.remove.length > 0 ? [[rule.remove, remove] as const] : []),
        ].map(([sent, shown]) => [sent, shown]);
  // Consumers are shown by name; the names are resolved before anything is sent.
  const fits = pairs.every(([sent, shown]) =>
    path === 'tags'
      ? [...sent].sort().join('\n') === [...shown].sort().join('\n')
      : sent.length === shown.length && sent.every((id) => isId(id) || /^\{workspace\.[\w-]+\}$/.test(id)),
  );
  return fits ? [] : [`a call writes other ${path} than its fields`];
}

function bindingMisfits({ fields }: PlannedChange, rule: BindingRule): string[] {
  const after = asBindings(fields.find(({ path }) => path === 'tag-bindings')?.after);
  if (after === undefined) return ['a call writes tag-bindings, which are not shown'];
  const sent = 'exactly' in rule ? rule.exactly : rule.add;
  const { add, remove } = bindingDifference(after, sent);
  // An upsert names some of the resulting tags, a replacement names all of them.
  const fits = add.length === 0 && ('add' in rule || remove.length === 0);
  return fits ? [] : ['a call writes other tag-bindings than are shown'];
}
