import { sameAttribute } from '../diff/normalize.ts';
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
import { isRecord, type Value, type Values } from '../model/value.ts';

/**
 * Reverts the values that a run wrote to a workspace, except lists.
 *
 * Values are reverted in units: values that the service normalizes together are reverted together or not at all. Each
 * unit has three versions: before the run, after it, and live. If the live version equals the one after the run, it is
 * reverted. If it differs from both, it changed since the run and is left alone.
 */
export interface RevertedSettings {
  /** The values to declare. */
  readonly restored: Values;
  /** Paths that changed since the run, with the values after the run and the live ones. */
  readonly changed: readonly ChangedValue[];
  /** Paths whose former value is unknown. */
  readonly unknown: readonly string[];
}

export interface ChangedValue {
  readonly path: string;
  readonly after: Value;
  readonly live: Value;
}

export interface Versions {
  readonly before: Values;
  /** Only the values that the run wrote or that the service returned. */
  readonly after: Values;
  readonly live: Values;
}

export function revertSettings(versions: Versions): RevertedSettings {
  const { before, after } = versions;
  const attached = before['vcs-repo.identifier'] === null && after['vcs-repo.identifier'] !== undefined;
  const detached = isRecord(before['vcs-repo']) && after['vcs-repo'] === null;
  const paths = Object.keys(before).filter(
    (path) => !lists.has(path) && !(attached && isRepositoryPath(path)),
  );
  const units = [
    ...unitsOf(paths.filter((path) => path !== 'vcs-repo')).filter((unit) => isTouched(unit, after)),
    ...(attached || detached ? [repositoryPaths(versions)] : []),
  ];
  return merged(units.map((unit) => revertUnit(unit, versions)));
}

const lists: ReadonlySet<string> = new Set(['exists', 'tags', 'remote-state-consumers']);

/** If a response was lost, the values that the service normalized with the written ones are unknown. */
function isTouched(unit: readonly string[], after: Values): boolean {
  return [...unit, ...coupledPaths(unit)].some((path) => after[path] !== undefined);
}

/** A repository is reverted as a whole. */
function repositoryPaths({ before, after, live }: Versions): string[] {
  return ['vcs-repo', ...Object.keys({ ...before, ...after, ...live }).filter(isRepositoryPath)];
}

function unitsOf(paths: readonly string[]): (readonly string[])[] {
  const units = new Map<string, readonly string[]>();
  for (const path of paths) {
    // The service normalizes triggers together, but each is reverted separately.
    const isTrigger = isAttributePath(path) && workspaceAttributes[path].coupling === 'triggers';
    const together = isTrigger ? [] : coupledPaths([path]);
    const unit = together.length > 0 ? together : [path];
    units.set(unit.join(), unit);
  }
  return [...units.values()];
}

function revertUnit(paths: readonly string[], { before, after, live }: Versions): RevertedSettings {
  const whole = wholeOf(paths, before);
  const was = whole(picked(paths, before));
  // A value that was neither written nor returned is assumed to have changed with the written ones.
  const left = whole({ ...picked(paths, live), ...picked(paths, after) });
  const now = whole(picked(paths, live));
  if (same(was, now)) return nothing;
  if (!same(left, now)) {
    const changed = [...new Set([...Object.keys(left), ...Object.keys(now)])]
      .filter((path) => !sameAttribute(path, left[path], now[path]))
      .map((path) => ({ path, after: left[path] ?? null, live: now[path] ?? null }));
    return { ...nothing, changed };
  }
  return restored(was);
}

/** How the values of a unit are compared and restored. */
function wholeOf(paths: readonly string[], before: Values): (values: Values) => Values {
  if (paths[0] === 'vcs-repo') return repository;
  return wroteTime(paths, before) ? (values) => values : essence;
}

function picked(paths: readonly string[], values: Values): Record<string, Value> {
  return Object.fromEntries(
    paths.flatMap((path) => {
      const value = values[path];
      return value === undefined ? [] : [[path, value] as const];
    }),
  );
}

/** A journal keeps the time beside a duration only where the run wrote it: else the service computes it (plan/facts.ts). */
function wroteTime(paths: readonly string[], before: Values): boolean {
  return paths.includes(destroyTime) && before[destroyTime] !== undefined && Boolean(before[destroyDuration]);
}

/** The values of a unit that the workspace itself sets: without computed and inherited ones. */
function essence(values: Values): Values {
  if (values['execution-mode'] !== undefined) return execution(values);
  const duration = values[destroyDuration];
  if (duration) return { [destroyDuration]: duration };
  return values;
}

function execution(values: Values): Values {
  const {
    'execution-mode': mode = null,
    'agent-pool-id': pool = null,
    operations: _operations,
    ...flags
  } = values;
  const ownMode = flags[modeFlag] !== false;
  const ownPool = flags[poolFlag] !== false && mode === 'agent' && pool !== null;
  return {
    ...(ownMode && { 'execution-mode': mode }),
    ...(ownPool && { 'agent-pool-id': pool }),
    ...flags,
  };
}

/** The repository's keys that are set; `null` if there is no repository. */
function repository(values: Values): Values {
  const former = values['vcs-repo'];
  const keys = isRecord(former)
    ? Object.entries(former).map(([key, value]) => [`vcs-repo.${key}`, value as Value] as const)
    : Object.entries(values).filter(([path]) => isRepositoryPath(path));
  const set = keys.filter(([, value]) => value !== null && value !== '');
  return set.length === 0 ? { 'vcs-repo': null } : Object.fromEntries(set);
}

function same(a: Values, b: Values): boolean {
  const paths = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...paths].every((path) => sameAttribute(path, a[path], b[path]));
}

const nothing: RevertedSettings = { restored: {}, changed: [], unknown: [] };

/** A value that the service did not return is restored to its default, if the interface documents one. */
function restored(values: Values): RevertedSettings {
  const back: Record<string, Value> = {};
  const unknown: string[] = [];
  for (const [path, value] of Object.entries(values)) {
    const spec = isAttributePath(path) ? workspaceAttributes[path] : undefined;
    const former = value === null ? (spec?.default ?? null) : value;
    // One kind of connection replaces the other, so a missing key of the repository is not restored.
    if (former === null && spec && !spec.nullable) {
      if (!isRepositoryPath(path)) unknown.push(path);
    } else back[path] = former;
  }
  return { restored: back, changed: [], unknown };
}

function merged(parts: readonly RevertedSettings[]): RevertedSettings {
  return {
    restored: Object.assign({}, ...parts.map((part) => part.restored)),
    changed: parts.flatMap((part) => part.changed),
    unknown: parts.flatMap((part) => part.unknown),
  };
}

/**
 * The values to send with a create: empty values and defaults are omitted. A flag for an inherited setting is sent,
 * because a new workspace has its own setting by default (interface, section 2.1).
 */
export function settingsToCreate(values: Values): Values {
  const paths = Object.keys(values).filter(isAttributePath);
  const all = Object.assign({}, ...unitsOf(paths).map((unit) => essence(picked(unit, values))));
  return Object.fromEntries(
    Object.entries<Value>(all).filter(([path, value]) => {
      if (isUnder(path, 'setting-overwrites')) return value !== null;
      return variesByPlatform.has(path) || !sameAttribute(path, value, null);
    }),
  );
}
