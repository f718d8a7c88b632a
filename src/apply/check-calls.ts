import { sameAttribute } from '../diff/normalize.ts';
import { kindOfId, referencePaths } from '../model/alias-kind.ts';
import { isAttributePath } from '../model/attributes.ts';
import type { Action } from '../model/change.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import {
  impliedPermissions,
  isFixedLevel,
  type PermissionPath,
  permissionPaths,
  permissions,
} from '../model/permissions.ts';
import type { Call, Plan, PlannedChange } from '../model/plan.ts';
import type { ListRule, ResourceKind } from '../model/state.ts';
import { isRecord, type Value, type Values } from '../model/value.ts';
import { relatedId } from '../service/documents.ts';
import { pathTo } from '../service/endpoints.ts';
import { attributesToWire, permissionsToWire } from '../service/wire-codec.ts';
import { type CallKind, callKind } from './call-kind.ts';
import { attributesOf, dataOf } from './lost-answer.ts';
import { writtenValues } from './written-values.ts';

/** What a call belongs to: a change of a saved plan, or of a journal. */
export interface CallOwner {
  readonly address: string;
  readonly kind: ResourceKind;
  readonly action: Action;
  readonly id?: string | undefined;
}

const settings = ['tags', 'consumers', 'ssh-key', 'data-retention', 'lock'] as const;
const callsOf: Record<ResourceKind, Record<Action, readonly CallKind[]>> = {
  workspace: {
    create: ['create-workspace', ...settings],
    update: ['update-workspace', 'unlock', ...settings],
    delete: ['unlock', 'delete-workspace'],
  },
  'team-access': { create: ['create-grant'], update: ['update-grant'], delete: ['delete-grant'] },
};

/**
 * Why a call does not belong to its change: another action, another object, another organization, a path that Attune
 * would spell otherwise. A journal and a plan file are written by whoever can write to them.
 */
export function callMisfit(call: Call, owner: CallOwner, organization: string): string | undefined {
  const kind = callKind(call);
  if (kind === undefined || !callsOf[owner.kind][owner.action].includes(kind)) {
    return `${call.method} ${call.path} does not belong to a change that is ${articled(owner.action)}`;
  }
  const { id = `{${owner.address}}` } = owner;
  if (owner.id !== undefined && !isId(owner.id)) return `${owner.id} is not an id`;
  const expected = ownPaths(kind, { id, organization });
  return expected.includes(call.path) ? undefined : `${call.method} ${call.path} goes to another object`;
}

function ownPaths(
  kind: CallKind,
  { id, organization }: { readonly id: string; readonly organization: string },
) {
  if (kind === 'create-workspace') return [pathTo('createWorkspace', { organization })];
  if (kind === 'create-grant') return [pathTo('createTeamProject', {})];
  if (kind === 'update-grant' || kind === 'delete-grant') return [pathTo('showTeamProject', { id })];
  const workspace = { workspace: id };
  const paths = {
    unlock: [pathTo('unlockWorkspace', workspace)],
    lock: [pathTo('lockWorkspace', workspace)],
    'update-workspace': [pathTo('updateWorkspace', workspace)],
    tags: [pathTo('addTags', workspace)],
    consumers: [pathTo('replaceConsumers', workspace)],
    'ssh-key': [pathTo('assignSshKey', workspace)],
    'data-retention': [pathTo('setRetention', workspace)],
    'delete-workspace': [pathTo('safeDeleteWorkspace', workspace), pathTo('forceDeleteWorkspace', workspace)],
  };
  return paths[kind];
}

function articled(action: Action): string {
  return action === 'update' ? 'an update' : `a ${action}`;
}

function isId(text: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(text);
}

/** Every call of a plan that does more, less or something else than its change shows. */
export function checkCalls(plan: Plan): Diagnostic[] {
  return plan.changes.flatMap((change) =>
    changeMisfits(change, plan).map(
      (why): Diagnostic => ({
        severity: 'error',
        code: 'plan-differs',
        message: `the plan file contradicts itself: ${change.address}: ${why}`,
        address: change.address,
        hint: 'run `attune plan --out` again, and have the new plan reviewed',
      }),
    ),
  );
}

function changeMisfits(change: PlannedChange, { organization, dialect }: Plan): string[] {
  const owner = { ...change, id: change.action === 'create' ? undefined : (change.id ?? '') };
  const written = new Set<string>();
  const found: string[] = [];
  for (const call of change.calls) {
    const misfit = callMisfit(call, owner, organization);
    const kind = callKind(call);
    if (misfit !== undefined || kind === undefined) {
      found.push(misfit ?? '');
      continue;
    }
    const { values, tags, consumers } = writtenValues(kind, call, dialect);
    for (const [path, value] of Object.entries(values)) {
      written.add(path);
      if (change.action !== 'delete' && !isShown(change, path, value))
        found.push(`${call.method} ${call.path} writes ${path}, which is not shown`);
    }
    if (tags) found.push(...listMisfits(change, 'tags', tags));
    if (consumers) found.push(...listMisfits(change, 'remote-state-consumers', consumers));
    if (tags) written.add('tags');
    if (consumers) written.add('remote-state-consumers');
    if (hasMore(call, kind, change, values))
      found.push(`the body of ${call.method} ${call.path} holds more than is shown`);
  }
  if (change.action === 'delete') {
    const deletes = change.calls.filter((call) => /delete-/.test(callKind(call) ?? ''));
    return deletes.length === 1 && change.fields.length === 0 ? found : [...found, 'it is not one delete'];
  }
  const isWritten = ({ path, after }: PlannedChange['fields'][number]) =>
    written.has(path) || (change.action === 'create' && Array.isArray(after) && after.length === 0);
  const missing = change.fields.filter((field) => !isWritten(field));
  return [...found, ...missing.map(({ path }) => `no call writes ${path}`)];
}

/** A value may be sent if the change shows it, or if it is live and goes together with one that is shown. */
function isShown({ name, action, fields, facts = {} }: PlannedChange, path: string, value: Value): boolean {
  if (path === 'name' && action === 'create') return value === name;
  const field = fields.find((one) => one.path === path);
  if (path === 'lock') return field?.after === (isRecord(value) && value.locked);
  if (field === undefined) return isShownByLevel(path, value, { fields, facts });
  if (referencePaths[path] === undefined || typeof value !== 'string') {
    return sameAttribute(path, value, field.after);
  }
  // An alias stands for an id that only the files know. An id stands for itself.
  const shown = String(field.after);
  return isId(value) && (kindOfId(shown) === undefined || shown === value);
}

function isShownByLevel(
  path: string,
  value: Value,
  { fields, facts = {} }: Pick<PlannedChange, 'fields' | 'facts'>,
): boolean {
  if (facts[path] !== undefined) return sameAttribute(path, value, facts[path]);
  const level = facts.access;
  if (!isPermissionPath(path) || !fields.some((field) => field.path === 'access')) return false;
  // A new `custom` names every permission; those that are as before, or least, are not shown.
  const before = isFixedLevel(level) ? impliedPermissions(level)[path] : undefined;
  return value === permissions[path].customDefault || value === before;
}

function isPermissionPath(path: string): path is PermissionPath {
  return permissionPaths.some((known) => known === path);
}

function listMisfits({ fields }: PlannedChange, path: string, rule: ListRule): string[] {
  const field = fields.find((one) => one.path === path);
  if (field === undefined) return [`a call writes ${path}, which is not shown`];
  const { after, add = [], remove = [] } = field;
  const pairs: readonly [readonly string[], readonly Value[]][] =
    'exactly' in rule
      ? [[rule.exactly, Array.isArray(after) ? after : []]]
      : [
          ...(rule.add.length > 0 ? [[rule.add, add] as const] : []),
          ...(rule.remove.length > 0 ? [[rule.remove, remove] as const] : []),
        ].map(([sent, shown]) => [sent, shown]);
  // Consumers are shown by name; the names are looked up before anything is sent.
  const fits = pairs.every(([sent, shown]) =>
    path === 'tags'
      ? [...sent].sort().join('\n') === [...shown].sort().join('\n')
      : sent.length === shown.length && sent.every((id) => isId(id) || /^\{workspace\.[\w-]+\}$/.test(id)),
  );
  return fits ? [] : [`a call writes other ${path} than are shown`];
}

/** Members that the values of the call do not account for. */
function hasMore(call: Call, kind: CallKind, change: PlannedChange, values: Values): boolean {
  const isWorkspace = kind === 'create-workspace' || kind === 'update-workspace';
  const isGrant = kind === 'create-grant' || kind === 'update-grant';
  if (!isWorkspace && !isGrant) return false;
  const { relationships = {}, attributes: _attributes, type: _type, id: _id, ...others } = dataOf(call);
  const related = isWorkspace ? ['project'] : kind === 'create-grant' ? ['project', 'team'] : [];
  if (Object.keys(others).length > 0) return true;
  if (kind === 'create-grant' && !isGrantOf(change, relationships)) return true;
  if (!isRecord(relationships) || Object.keys(relationships).some((name) => !related.includes(name)))
    return true;
  const known = accounted(values);
  return leaves(attributesOf(call)).some((leaf) => !known.has(leaf));
}

function isGrantOf({ facts = {} }: PlannedChange, relationships: unknown): boolean {
  const related = { relationships: isRecord(relationships) ? relationships : {} };
  return relatedId(related, 'project') === facts.project && relatedId(related, 'team') === facts.team;
}

function accounted(values: Values): ReadonlySet<string> {
  const entries = Object.entries(values);
  const both = (['iac', 'terraform'] as const).flatMap((dialect) => [
    ...leaves(
      attributesToWire(
        entries.flatMap(([path, value]) => (isAttributePath(path) ? [[path, value] as const] : [])),
        dialect,
      ),
    ),
    ...leaves(
      permissionsToWire(
        entries.flatMap(([path, value]) => (isPermissionPath(path) ? [[path, value] as const] : [])),
        dialect,
      ),
    ),
  ]);
  return new Set([...both, ...entries.map(([path]) => path)]);
}

function leaves(attributes: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(attributes).flatMap(([name, value]) =>
    isRecord(value) ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name],
  );
}
