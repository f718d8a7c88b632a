import { listPaths } from '../model/attributes.ts';
import type { Value } from '../model/value.ts';
import { type Field, type Fields, type Layered, noLayers } from './fields.ts';
import { mergeList } from './merge-lists.ts';
import { mergeBindings } from './tag-bindings.ts';
import { isWithin } from './unmanaged.ts';

/**
 * The layer `top` over the layer `base`. Scalars replace, lists merge, `vcs-repo` and `setting-overwrites` merge by key
 * (they are dotted paths here). A mode or pool and the flag that inherits it override each other.
 */
export function overlayFields(base: Layered, top: Layered): Layered {
  if (base === noLayers) return top;
  const fields = new Map(base.fields);
  let removed = base.removed;
  const remove = (path: string, [by, field]: Entry) => {
    const lower = fields.get(path);
    if (!lower) return;
    fields.delete(path);
    removed = new Map(removed).set(path, { field: lower, path: by, by: field });
  };
  for (const [key, by] of top.stops)
    for (const path of base.fields.keys()) if (isWithin(path, key)) remove(path, ['unmanaged', by]);
  for (const [path, by] of overruled(base.fields, top.fields)) remove(path, by);
  for (const [path, { field, ...by }] of top.removed)
    removed = new Map(removed).set(path, { ...by, field: over(base.fields.get(path), field) });
  for (const entry of top.fields) {
    const [path, field] = entry;
    if (path.startsWith('vcs-repo.')) remove('vcs-repo', entry);
    // `vcs-repo: null` clears the repository settings of lower layers.
    else if (path === 'vcs-repo') {
      for (const key of base.fields.keys()) if (key.startsWith('vcs-repo.')) remove(key, entry);
    }
    const value = merged(path, fields.get(path), field);
    // A list merges with what is below it, and a removed one is not.
    const lower = fields.get(path) ?? (merges(path) ? undefined : removed.get(path)?.field);
    fields.set(path, over(lower, { ...field, value }));
    if (removed.has(path)) removed = without(removed, path);
  }
  return {
    fields,
    removed,
    stops: top.stops.size === 0 ? base.stops : new Map([...base.stops, ...top.stops]),
    templates: [...new Set([...base.templates, ...top.templates])],
  };
}

/** Whether the value of a layer merges with the one below it. */
export function merges(path: string): boolean {
  return listPaths.has(path) || path === 'tag-bindings';
}

function merged(path: string, base: Field | undefined, top: Field): Value | undefined {
  if (listPaths.has(path)) return mergeList(base, top);
  return path === 'tag-bindings' ? mergeBindings(base, top) : top.value;
}

function over(base: Field | undefined, top: Field): Field {
  if (!base) return top;
  return { ...top, lower: [...(base.lower ?? []), base, ...(top.lower ?? [])] };
}

function without(removed: Layered['removed'], path: string): Layered['removed'] {
  const rest = new Map(removed);
  rest.delete(path);
  return rest;
}

const modeFlag = 'setting-overwrites.execution-mode';
const poolFlag = 'setting-overwrites.agent-pool';

type Entry = readonly [path: string, field: Field];

/**
 * What a layer declares about the execution mode and the pool overrides what lower layers declare about the same thing:
 * a value of the workspace's own or the flag that inherits one. A duration overrides the destroy time of lower layers.
 * Returns each overridden path with the entry that overrides it.
 */
function overruled(base: Fields, top: Fields): (readonly [path: string, by: Entry])[] {
  const inherits = (flag: string) => base.get(flag)?.value === false && !top.has(flag);
  const entry = (path: string, applies: (value: Value | undefined) => boolean): Entry | undefined => {
    const field = top.get(path);
    return field && applies(field.value) ? [path, field] : undefined;
  };
  const isText = (value: Value | undefined) => typeof value === 'string';
  const isOff = (value: Value | undefined) => value === false;
  const mode = entry('execution-mode', isText);
  const pool = entry('agent-pool-id', isText);
  const ownMode = mode ?? pool;
  // In agent mode the pool can still be the organization's.
  const ownPool = pool ?? (mode?.[1].value === 'agent' ? undefined : mode);
  const noMode = entry(modeFlag, isOff);
  const noPool = noMode ?? entry(poolFlag, isOff);
  const found: (readonly [string, Entry])[] = [];
  if (ownMode && inherits(modeFlag)) found.push([modeFlag, ownMode]);
  if (ownPool && inherits(poolFlag)) found.push([poolFlag, ownPool]);
  if (noMode) found.push(['execution-mode', noMode]);
  if (noPool) found.push(['agent-pool-id', noPool]);
  // With a duration the service computes the time.
  const duration = entry('auto-destroy-activity-duration', isText);
  if (duration && !top.has('auto-destroy-at')) found.push(['auto-destroy-at', duration]);
  return found;
}
