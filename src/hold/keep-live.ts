/*
 * Everything that this run does not touch is given its live value, and then all is as always.
 *
 * A filter looks at what differs and returns what keeps its live value: all of an address, or fields of it. `--only-changed`,
 * `--due`, exceptions, freeze windows, and a saved plan that is made again are one filter each. What a filter keeps with a hold is
 * shown, and waits. What it keeps without one is not a part of the plan.
 *
 *   found = diff(desired, live)
 *   kept  = each filter(found), and what needs something that waits
 *   sent  = diff(keepLive(desired, kept), live)
 *   plan  = createPlan(sent, with what waits of found)
 */

import type { Difference, DiffOptions } from '../diff/diff.ts';
import type { Live } from '../live/read-live.ts';
import { isUnder } from '../model/attributes.ts';
import type { Change } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan, PlanPurpose } from '../model/plan.ts';
import type { Hold } from '../model/rules.ts';
import type { Resource } from '../model/state.ts';
import { groupBy, type Value } from '../model/value.ts';

export interface FilterInput {
  readonly configuration: Configuration;
  readonly live: Live;
  readonly found: Difference;
  /** The present time, in milliseconds since 1970. */
  readonly now: number;
  readonly chosen: (address: string) => boolean;
  readonly overrideFreeze?: string | undefined;
  /** Nothing of a drift report is written: only known differences of it are held. */
  readonly purpose: PlanPurpose;
  readonly due?: boolean | undefined;
  /** The saved plan that is made again, if its fields are fewer than the declared ones. */
  readonly reviewed?: Pick<Plan, 'changes'> | undefined;
}

export interface Keep {
  readonly address: string;
  readonly fields?: Iterable<string> | undefined;
  /** Why it waits. Absent for what the run leaves out. */
  readonly hold?: Hold;
}

export interface Filtered {
  readonly keeps: readonly Keep[];
  readonly diagnostics?: readonly Diagnostic[];
  readonly isDated?: boolean;
}

export interface Kept extends Required<Filtered> {
  readonly changes: readonly Change[];
  /** Holds by address. A hold without fields is about all of the address. */
  readonly held: ReadonlyMap<string, readonly Hold[]>;
}

/** Declared as it is live where it is kept: a field becomes unmanaged, and a whole address is not compared. */
export function keepLive(
  { configuration, found, chosen, due }: Pick<FilterInput, 'configuration' | 'found' | 'chosen' | 'due'>,
  keeps: readonly Keep[],
): { readonly configuration: Configuration } & Required<Pick<DiffOptions, 'chosen' | 'leftOut'>> {
  const { desired } = configuration;
  const resources = new Map(desired.resources);
  const changes = new Map(found.changes.map((change) => [change.address, change]));
  const whole = new Set<string>();
  for (const [address, own] of groupBy(keeps, (keep) => keep.address)) {
    const change = changes.get(address);
    const resource = resources.get(address);
    const paths = keptFields(own);
    if (paths === undefined || (change?.action === 'update' && covers(paths, change))) whole.add(address);
    else if (resource) resources.set(address, withLive(resource, change, paths));
  }
  const left = new Set(keeps.flatMap(({ address, hold }) => (hold ? [] : address)));
  const by = due ? '--due' : '--only-changed';
  return {
    configuration: { ...configuration, desired: { ...desired, resources } },
    chosen: (address) => chosen(address) && !whole.has(address),
    leftOut: (address) => (left.has(address) ? { by, hint: `plan without ${by}` } : undefined),
  };
}

/** A managed resource that identifies itself by a value, or has all permissions of a level, keeps the live values. */
function withLive(resource: Resource, change: Change | undefined, fields: ReadonlySet<string>): Resource {
  const attributes: Record<string, Value> = { ...resource.attributes };
  for (const path of fields) {
    const value = change?.live?.attributes[path];
    if (resource.kind !== 'workspace' && value !== undefined && path !== 'tag-bindings')
      attributes[path] = value;
    // Of a repository that is attached or removed as a whole, all keys are kept.
    else for (const key of Object.keys(attributes)) if (isUnder(key, path)) delete attributes[key];
  }
  // A new workspace is still one that declares its readers.
  const list = 'remote-state-consumers';
  if (change?.action === 'create' && fields.has(list) && list in resource.attributes)
    attributes[list] = { add: [], remove: [] };
  const declared = fields.has('name')
    ? { ...resource.declared, keepsName: true as const }
    : resource.declared;
  return { ...resource, attributes, declared } as Resource;
}

/** The fields of keeps or holds; `undefined` for all. */
export function keptFields(
  parts: readonly { readonly fields?: Iterable<string> | undefined }[],
): ReadonlySet<string> | undefined {
  const fields = parts.map((part) => part.fields);
  return fields.includes(undefined)
    ? undefined
    : new Set(fields.flatMap((paths) => (paths ? [...paths] : [])));
}

export function covers(paths: ReadonlySet<string>, { fields }: Pick<Change, 'fields'>): boolean {
  return fields.every(({ path }) => paths.has(path));
}

/** What waits that a problem, or a field that differs no more, most likely follows from. */
export function causeAmong(
  held: Kept['held'],
  addresses: ReadonlySet<string>,
): { readonly address: string; readonly hold: Hold } | undefined {
  const all = [...held].flatMap(([address, holds]) => holds.map((hold) => ({ address, hold })));
  const isMatched = ({ hold: { fields } }: { readonly hold: Hold }) =>
    fields?.some((path) => matched.has(path)) ?? true;
  const ordered = [...all.filter(isMatched), ...all];
  return ordered.find(({ address }) => addresses.has(address)) ?? ordered[0];
}

const matched: ReadonlySet<string> = new Set(['name', 'project', 'tags', 'tag-bindings']);
