/*
 * Everything that this run does not touch is given its live value, and then all is as always.
 *
 * A filter finds what keeps its live value: all of an address, or fields of it. `--only-changed`, exceptions and freeze
 * windows are filters, and so is what was reviewed, when a saved plan is made again. A hold is the reason of an exception
 * or a window: what it keeps is shown and waits. The plan does not show what other filters keep.
 *
 *   found = diff(desired, live)
 *   kept  = filters(found), and what needs something that is held
 *   sent  = diff(keepLive(desired, kept), live)
 *   plan  = createPlan(sent, with what is held of found)
 */

import type { Difference, DiffOptions } from '../diff/diff.ts';
import type { Live } from '../live/read-live.ts';
import { isUnder } from '../model/attributes.ts';
import { type Change, fieldsTogether } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Hold } from '../model/hold.ts';
import type { Plan, PlanPurpose } from '../model/plan.ts';
import type { Resource } from '../model/state.ts';
import type { Value } from '../model/value.ts';

/** Holds by address. A hold without fields keeps all of the address. */
export type HeldChanges = ReadonlyMap<string, readonly Hold[]>;
/** The parts that a run leaves out, by address: fields, or all of it. */
export type LeftOut = ReadonlyMap<string, ReadonlySet<string> | 'all'>;

/** What filters decide by. */
export interface FilterInput {
  readonly configuration: Configuration;
  readonly live: Live;
  /** The comparison of everything that the run looks at. */
  readonly found: Difference;
  /** The present time, in milliseconds since 1970. */
  readonly now: number;
  /** Whether the run looks at an address. */
  readonly chosen: (address: string) => boolean;
  /** Whether freeze windows are ignored. */
  readonly overridesFreeze: boolean;
  /** Nothing of a drift report is written: only known differences of it are held. */
  readonly purpose: PlanPurpose;
  /** The saved plan that is made again, if its fields are fewer than the declared ones. */
  readonly reviewed?: Pick<Plan, 'changes'>;
}

/** What keeps its live value in this run. */
export interface Kept {
  readonly leftOut: LeftOut;
  /** The found changes without the parts that are left out. */
  readonly changes: readonly Change[];
  readonly held: HeldChanges;
  readonly diagnostics: readonly Diagnostic[];
  /** Whether a date decides something. */
  readonly isDated: boolean;
}

/** What is declared of the rest, and the addresses that the run still compares. */
export interface Rest {
  readonly configuration: Configuration;
  readonly chosen: (address: string) => boolean;
  readonly leftOut: NonNullable<DiffOptions['leftOut']>;
}

/** Gives what is kept its live value: a field becomes unmanaged, and an address is not compared. */
export function keepLive(
  { configuration, found: { changes }, chosen }: Pick<FilterInput, 'configuration' | 'found' | 'chosen'>,
  { held, leftOut }: Pick<Kept, 'held' | 'leftOut'>,
): Rest {
  const { desired } = configuration;
  const resources = new Map(desired.resources);
  const byAddress = new Map(changes.map((change) => [change.address, change]));
  const whole = new Set<string>();
  for (const address of [...leftOut.keys(), ...held.keys()]) {
    const change = byAddress.get(address);
    const resource = resources.get(address);
    const left = leftOut.get(address) ?? [];
    const waiting = heldFieldsOf(held.get(address) ?? []);
    if (left === 'all' || waiting === undefined) {
      whole.add(address);
      continue;
    }
    const paths = new Set([...left, ...waiting]);
    if (change?.action === 'update' && change.fields.every(({ path }) => paths.has(path))) whole.add(address);
    else if (resource) {
      for (const path of waiting) for (const one of fieldsTogether(resource.kind, path)) paths.add(one);
      resources.set(address, withLive(resource, change?.live, paths));
    }
  }
  return {
    configuration: { ...configuration, desired: { ...desired, resources } },
    chosen: (address) => chosen(address) && !whole.has(address),
    leftOut: (address) =>
      leftOut.has(address) ? { by: '--only-changed', hint: 'plan without --only-changed' } : undefined,
  };
}

/** A managed resource that identifies itself by a value, or has all permissions of a level, keeps the live values. */
function withLive(resource: Resource, live: Resource | undefined, fields: ReadonlySet<string>): Resource {
  const attributes: Record<string, Value> = { ...resource.attributes };
  for (const path of fields) {
    const value = live?.attributes[path];
    if (resource.kind !== 'workspace' && value !== undefined && path !== 'tag-bindings')
      attributes[path] = value;
    // Of a repository that is attached or removed as a whole, all keys are kept.
    else for (const key of Object.keys(attributes)) if (isUnder(key, path)) delete attributes[key];
  }
  const declared = fields.has('name')
    ? { ...resource.declared, keepsName: true as const }
    : resource.declared;
  return { ...resource, attributes, ...(declared && { declared }) } as Resource;
}

/** The fields that are held; `undefined` for the whole change. */
export function heldFieldsOf(holds: readonly Hold[]): ReadonlySet<string> | undefined {
  const fields = holds.map((hold) => hold.fields);
  return fields.includes(undefined) ? undefined : new Set(fields.flatMap((paths = []) => paths));
}

/** The hold of a whole change, or of one of the given fields. */
export function holdOf(holds: readonly Hold[], paths: ReadonlySet<string>): Hold | undefined {
  return holds.find(({ fields }) => fields?.some((path) => paths.has(path)) ?? true);
}

/** What is held that a problem, or a field that differs no more, most likely follows from. */
export function causeAmong(
  held: HeldChanges,
  addresses: ReadonlySet<string>,
): { readonly address: string; readonly hold: Hold } | undefined {
  const all = [...held].flatMap(([address, holds]) => holds.map((hold) => ({ address, hold })));
  const ordered = [...all.filter(({ hold }) => holdOf([hold], selected)), ...all];
  return ordered.find(({ address }) => addresses.has(address)) ?? ordered[0];
}

/** The fields that selectors and scopes match. */
const selected: ReadonlySet<string> = new Set(['name', 'project', 'tags', 'tag-bindings']);

/** The fields of a change that are kept with a field: the service changes them together, or one is void without the other. */
export function keptWith({ kind, fields }: Change, field: string): readonly string[] {
  const together = fieldsTogether(kind, field);
  return fields.map(({ path }) => path).filter((path) => isUnder(path, field) || together.includes(path));
}
