import type { JournaledCall } from '../apply/journal/parse-journal.ts';
import { differences, sameAttribute, type ValueDifference } from '../diff/fields.ts';
import { workspaceAttributes } from '../model/attribute-table.ts';
import {
  coupledPaths,
  destroyDuration,
  destroyTime,
  isAttributePath,
  isRepositoryPath,
  isUnder,
  modeFlag,
  poolFlag,
  variesByPlatform,
} from '../model/attributes.ts';
import { fieldsTogether } from '../model/change.ts';
import {
  applyBindingRule,
  applyListRule,
  asBindings,
  bindingText,
  type ListRule,
  listDifference,
  type TagBindings,
} from '../model/list-rule.ts';
import { permissionPaths, permissions } from '../model/permissions.ts';
import type { ResourceKind } from '../model/state.ts';
import { isRecord, listTexts, pick, type Value, type Values } from '../model/value.ts';

/*
 * What a run changed has three versions: before it, as the run left it, and live. A value that is live as the run left it gets its
 * former value. One that is neither as before nor as it was left changed since, and is left alone.
 *
 * Values that the service changes together are one unit, which is restored as a whole or not at all. Each entry of a list that
 * others may change, too, is a separate value under `<path>.<entry>`.
 */

interface Versions {
  readonly before: Values;
  /** Only what the run wrote or the service returned. */
  readonly left: Values;
  readonly live: Values;
}

const consumersPath = 'remote-state-consumers';
const bindingsPath = 'tag-bindings';
/** Lists are restored by entry, and a repository with its keys. */
const otherPaths = new Set(['exists', 'vcs-repo', 'tags', consumersPath, bindingsPath]);

/** The values after some calls, by their requests and answers; a list if a call wrote it. */
export function leftBy(calls: readonly JournaledCall[], before: Values): Values {
  const left: Record<string, Value> = {};
  for (const { written, outcome } of calls) {
    const { values, tags, consumers, bindings } = written;
    const {
      tags: stored,
      [consumersPath]: _list,
      [bindingsPath]: _map,
      ...answered
    } = outcome?.answered ?? {};
    const former = (path: string) => left[path] ?? before[path];
    Object.assign(left, values, answered);
    if (tags) left.tags = applyListRule(confirmed(tags, stored), listTexts(former('tags')));
    if (consumers) left[consumersPath] = applyListRule(consumers, listTexts(former(consumersPath)));
    if (bindings) left[bindingsPath] = applyBindingRule(bindings, asBindings(former(bindingsPath)) ?? {});
  }
  return left;
}

/** The tags of a write that its answer shows; all of them if it shows none. */
function confirmed(sent: ListRule, stored: Value | undefined): ListRule {
  if (!Array.isArray(stored) || 'exactly' in sent) return sent;
  const shown = new Set(stored.map((tag) => String(tag).toLowerCase()));
  return { ...sent, add: sent.add.filter((tag) => shown.has(tag.toLowerCase())) };
}

/**
 * The former values, with a rule for each list; what moved since the run; and the paths whose former value the service did not
 * return.
 */
export function restorable(kind: ResourceKind, versions: Versions) {
  const { before, left, live } = versions;
  const restored: Record<string, Value> = {};
  const moved: ValueDifference[] = [];
  const unknown: string[] = [];
  for (const unit of unitsOf(kind, { before, left, live })) {
    const own = ownValues(kind, unit, before);
    const [was, now] = [own(pick(before, unit)), own(pick(live, unit))];
    if (differences(was, now).length === 0) continue;
    // The service may have changed values that it did not return with the written ones; all permissions are written.
    const rest = kind === 'team-access' ? before : live;
    const changed = differences(own({ ...pick(rest, unit), ...pick(left, unit) }), now);
    moved.push(...changed);
    if (changed.length > 0) continue;
    for (const [path, value] of Object.entries(was)) {
      const spec = isAttributePath(path) ? workspaceAttributes[path] : undefined;
      const former = value ?? spec?.default ?? null;
      if (former !== null || spec === undefined || spec.nullable) restored[path] = former;
      // One kind of connection replaces the other, so a missing key of the repository is not restored.
      else if (!isRepositoryPath(path)) unknown.push(path);
    }
  }
  const lists = restorableLists(versions);
  return { restored: { ...restored, ...lists.restored }, moved: [...moved, ...lists.moved], unknown };
}

/** Entries of tags and consumers have no value that can differ: those that others changed are left to the comparison. */
function restorableLists({ before, left, live }: Versions) {
  const restored: Record<string, Value> = {};
  for (const path of ['tags', consumersPath]) {
    if (left[path] === undefined || !Array.isArray(before[path])) continue;
    const { add, remove } = listDifference(listTexts(left[path]), listTexts(before[path]));
    if (add.length + remove.length > 0) restored[path] = { add, remove };
  }
  if (left[bindingsPath] === undefined) return { restored, moved: [] };
  const [had = {}, has = {}, now = {}] = [before, left, live].map((all) => asBindings(all[bindingsPath]));
  const text = (bindings: TagBindings, key: string) =>
    Object.hasOwn(bindings, key) ? bindingText(key, bindings[key] ?? null) : null;
  const differing = Object.keys({ ...had, ...has }).filter((key) => text(had, key) !== text(now, key));
  const isLeft = (key: string) => text(has, key) === text(now, key);
  const [former, remove] = [true, false].map((isFormer) =>
    differing.filter((key) => isLeft(key) && Object.hasOwn(had, key) === isFormer),
  ) as [string[], string[]];
  const add = Object.fromEntries(former.map((key) => [key, had[key] ?? null]));
  if (former.length + remove.length > 0) restored[bindingsPath] = { add, remove };
  const moved = differing
    .filter((key) => !isLeft(key))
    .map((key) => ({ path: `${bindingsPath}.${key}`, before: text(has, key), after: text(now, key) }));
  return { restored, moved };
}

const grantPaths = ['access', ...permissionPaths];

function unitsOf(kind: ResourceKind, { before, left, live }: Versions): readonly (readonly string[])[] {
  const attached = before['vcs-repo.identifier'] === null && left['vcs-repo.identifier'] !== undefined;
  const detached = isRecord(before['vcs-repo']) && left['vcs-repo'] === null;
  const units = new Map<string, readonly string[]>();
  for (const path of Object.keys(before)) {
    if (otherPaths.has(path) || (attached && isRepositoryPath(path))) continue;
    const unit = unitOf(kind, path);
    // If a response was lost, the values that the service normalized with the written ones are unknown.
    if ([...unit, ...coupledPaths(unit)].some((one) => left[one] !== undefined)) units.set(unit.join(), unit);
  }
  if (!attached && !detached) return [...units.values()];
  const keys = Object.keys({ ...before, ...left, ...live }).filter(isRepositoryPath);
  return [...units.values(), ['vcs-repo', ...keys]];
}

function unitOf(kind: ResourceKind, path: string): readonly string[] {
  if (kind === 'team-access') return grantPaths;
  if (kind === 'project') return [path, ...fieldsTogether[kind](path).filter((one) => one !== path)].sort();
  // The service normalizes triggers together, but each is reverted separately.
  const isTrigger = isAttributePath(path) && workspaceAttributes[path].coupling === 'triggers';
  const together = isTrigger ? [] : coupledPaths([path]);
  return together.length > 0 ? together : [path];
}

function ownValues(kind: ResourceKind, unit: readonly string[], before: Values): (values: Values) => Values {
  if (kind === 'team-access') return grantValues;
  if (kind === 'project') return (values) => values;
  if (unit[0] === 'vcs-repo') return repository;
  // A journal keeps the time beside a duration only where the run wrote it: else the service computes it (plan/kinds.ts).
  const wroteTime =
    unit.includes(destroyTime) && before[destroyTime] !== undefined && Boolean(before[destroyDuration]);
  return wroteTime ? (values) => values : essence;
}

/** A level other than `custom` fixes its permissions. An omitted one, and one that the service lacks, has its default. */
export function grantValues(values: Values): Values {
  const { access = null } = values;
  if (access !== 'custom') return { access };
  const effective = permissionPaths.map((path) => [path, values[path] ?? permissions[path].customDefault]);
  return { access, ...Object.fromEntries(effective) };
}

/** The values of a unit that the workspace itself sets: without computed and inherited ones. */
function essence(values: Values): Values {
  if (values['execution-mode'] === undefined) {
    const duration = values[destroyDuration];
    return duration ? { [destroyDuration]: duration } : values;
  }
  const {
    'execution-mode': mode = null,
    'agent-pool-id': pool = null,
    operations: _operations,
    ...flags
  } = values;
  const ownsPool = flags[poolFlag] !== false && mode === 'agent' && pool !== null;
  return {
    ...(flags[modeFlag] !== false && { 'execution-mode': mode }),
    ...(ownsPool && { 'agent-pool-id': pool }),
    ...flags,
  };
}

/** The repository's keys that are set; `null` if there is no repository. It is restored as a whole. */
function repository(values: Values): Values {
  const former = values['vcs-repo'];
  const keys = isRecord(former)
    ? Object.entries(former).map(([key, value]) => [`vcs-repo.${key}`, value as Value] as const)
    : Object.entries(values).filter(([path]) => isRepositoryPath(path));
  const set = keys.filter(([, value]) => value !== null && value !== '');
  return set.length === 0 ? { 'vcs-repo': null } : Object.fromEntries(set);
}

/**
 * The values to send with a create: empty values and defaults are omitted. A flag for an inherited setting is sent,
 * because a new workspace has its own setting by default (interface, section 2.1).
 */
export function settingsToCreate(values: Values): Values {
  const units = new Map(
    Object.keys(values)
      .filter(isAttributePath)
      .map((path) => unitOf('workspace', path))
      .map((unit) => [unit.join(), unit]),
  );
  const all: Values = Object.assign({}, ...[...units.values()].map((unit) => essence(pick(values, unit))));
  return Object.fromEntries(
    Object.entries(all).filter(([path, value]) => {
      if (isUnder(path, 'setting-overwrites')) return value !== null;
      return variesByPlatform.has(path) || !sameAttribute(path, value, null);
    }),
  );
}
