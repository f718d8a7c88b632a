import type { Configuration } from '../../desired/configuration.ts';
import { isUnder } from '../../model/attributes.ts';
import { type Change, fieldsTogether } from '../../model/change.ts';
import type { Hold } from '../../model/hold.ts';
import type { PlannedChange } from '../../model/plan.ts';
import { kindOfAddress, type Resource } from '../../model/state.ts';
import type { Value } from '../../model/value.ts';
import { placeholdersOf } from '../placeholders.ts';
import { type HeldChanges, heldFieldsOf, holdOf } from './hold-input.ts';

/** A configuration without what is held, and the addresses that it still evaluates. */
export interface WithoutHeld {
  readonly configuration: Configuration;
  readonly chosen: (address: string) => boolean;
}

/**
 * Declares nothing of what is held: a held field counts as unmanaged, and a held change as left out of the run. The
 * comparison with the rest gives what can be sent, so that a hold never needs to change calls.
 */
export function withoutHeld(
  configuration: Configuration,
  changes: readonly Change[],
  { held, chosen }: { readonly held: HeldChanges; readonly chosen: (address: string) => boolean },
): WithoutHeld {
  const { desired } = configuration;
  const resources = new Map(desired.resources);
  const changed = new Set(changes.map(({ address }) => address));
  // An unchanged resource can still need something that is held.
  const whole = new Set([...held.keys()].filter((address) => !changed.has(address)));
  for (const change of changes) {
    const holds = held.get(change.address);
    if (holds === undefined) continue;
    const resource = resources.get(change.address);
    const fields = heldFieldsOf(holds);
    if (fields === undefined || holdsAll(change, fields)) whole.add(change.address);
    else if (resource) resources.set(change.address, unmanaged(resource, change, fields));
  }
  return {
    configuration: { ...configuration, desired: { ...desired, resources } },
    chosen: (address) => chosen(address) && !whole.has(address),
  };
}

function holdsAll({ fields, action }: Change, held: ReadonlySet<string>): boolean {
  return action === 'update' && fields.every(({ path }) => held.has(path));
}

/** A managed resource that identifies itself by a value, or has all permissions of a level, keeps the live values. */
function unmanaged(resource: Resource, { live }: Change, fields: ReadonlySet<string>): Resource {
  const attributes: Record<string, Value> = { ...resource.attributes };
  const together = [...fields].flatMap((field) => fieldsTogether(resource.kind, field));
  for (const path of new Set([...fields, ...together])) {
    const value = live?.attributes[path];
    if (resource.kind !== 'workspace' && value !== undefined && path !== 'tag-bindings')
      attributes[path] = value;
    // Of a repository that is attached or removed as a whole, all keys are held.
    else for (const key of Object.keys(attributes)) if (isUnder(key, path)) delete attributes[key];
  }
  const keepsName = fields.has('name');
  const declared = keepsName ? { ...resource.declared, keepsName } : resource.declared;
  return { ...resource, attributes, ...(declared && { declared }) } as Resource;
}

/**
 * The holds with those of changes that need a held one: the id of something that is not created, or a project that a
 * workspace does not leave yet.
 */
export function withDependents(planned: readonly PlannedChange[], held: HeldChanges): HeldChanges {
  const all = new Map(held);
  for (;;) {
    const found = planned.flatMap((change) => {
      const hold = waitsFor(change, all);
      return hold ? [{ change, hold }] : [];
    });
    if (found.length === 0) return all;
    for (const { change, hold } of found) all.set(change.address, [...(all.get(change.address) ?? []), hold]);
  }
}

/** A hold that a change does not have yet, because it needs a change that is held. */
function waitsFor(change: PlannedChange, held: HeldChanges): Hold | undefined {
  const own = held.get(change.address);
  const fields = own && heldFieldsOf(own);
  if (own && fields === undefined) return undefined;
  const created = new Set(change.calls.flatMap(placeholdersOf));
  for (const address of change.dependsOn) {
    const hold = holdOf(held.get(address) ?? [], leaving);
    if (hold === undefined) continue;
    const { fields: _fields, ...rest } = hold;
    const waiting = { ...rest, reason: `needs ${address}: ${hold.reason}` };
    // What holds the creation of a project holds all that needs it.
    if (created.has(address) && !fields?.has(consumers)) return { ...waiting, fields: [consumers] };
    // Its workspaces leave a deleted project, and get their own schedule before that of the project changes.
    if (change.kind === 'project') return waiting;
    // A workspace would inherit the former schedule of the project.
    const inheriting = change.fields.map(({ path }) => path).filter((path) => leaving.has(path));
    if (kindOfAddress(address) === 'project' && !inheriting.every((path) => fields?.has(path)))
      return { ...waiting, fields: inheriting };
  }
  return undefined;
}

/** The fields of a workspace that a change of its project waits for, or that wait for it. */
const leaving: ReadonlySet<string> = new Set([
  'project',
  'auto-destroy-at',
  'auto-destroy-activity-duration',
]);

/** The field that needs the id of another workspace. */
const consumers = 'remote-state-consumers';
