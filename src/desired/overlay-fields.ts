import {
  destroyDuration,
  destroyTime,
  isRepositoryPath,
  isUnder,
  listPaths,
  modeFlag,
  poolFlag,
} from '../model/attributes.ts';
import { type Field, type Fields, isWhole, type Layered, noLayers } from '../model/fields.ts';
import type { BindingRule, ListRule } from '../model/list-rule.ts';
import { isWorkspaceId } from '../model/state.ts';
import { isRecord, type Value } from '../model/value.ts';

/**
 * The layer `top` over the layer `base`. Scalars replace, lists merge, `vcs-repo` and `setting-overwrites` merge by key
 * (they are dotted paths here). A mode or pool and the flag that inherits it override each other.
 */
export function overlayFields(base: Layered, top: Layered): Layered {
  if (base === noLayers) return top;
  const fields = new Map(base.fields);
  const removed = new Map(base.removed);
  const remove = (path: string, [by, field]: Entry) => {
    const lower = fields.get(path);
    if (!lower) return;
    fields.delete(path);
    removed.set(path, { field: lower, path: by, by: field });
  };
  for (const [key, by] of top.stops)
    for (const path of base.fields.keys()) if (isUnder(path, key)) remove(path, ['unmanaged', by]);
  for (const [path, by] of overruled(base.fields, top.fields)) remove(path, by);
  for (const [path, { field, ...by }] of top.removed)
    removed.set(path, { ...by, field: over(base.fields.get(path), field) });
  for (const entry of top.fields) {
    const [path, field] = entry;
    if (isRepositoryPath(path)) remove('vcs-repo', entry);
    // `vcs-repo: null` clears the repository settings of lower layers.
    else if (path === 'vcs-repo') {
      for (const key of base.fields.keys()) if (key.startsWith('vcs-repo.')) remove(key, entry);
    }
    const value = mergedValue(path, fields.get(path), field);
    // A list merges with what is below it, and a removed one is not.
    const lower = fields.get(path) ?? (merges(path) ? undefined : removed.get(path)?.field);
    fields.set(path, over(lower, { ...field, value }));
    removed.delete(path);
  }
  return {
    fields,
    removed,
    stops: top.stops.size === 0 ? base.stops : new Map([...base.stops, ...top.stops]),
    templates: [...new Set([...base.templates, ...top.templates])],
  };
}

export function merges(path: string): boolean {
  return listPaths.has(path) || path === 'tag-bindings';
}

function mergedValue(path: string, base: Field | undefined, top: Field): Value | undefined {
  const lower = base?.value as Rule | undefined;
  const own = top.value as Rule | undefined;
  if (!merges(path) || lower === undefined || own === undefined) return top.value;
  const changed = (path === 'tag-bindings' ? changedBindings : changedList) as (
    lower: Rule,
    addition: Addition<Rule>,
  ) => Rule;
  if ('add' in own) return changed(lower, own) as Value;
  // Only a plain list or mapping of a workspace is exact and takes what lower layers add.
  if (top.layer !== 'workspace' || isWhole(top)) return top.value;
  const exact = 'add' in lower ? { exactly: lower.add } : lower;
  return changed(exact as Rule, { add: own.exactly, remove: [] } as Addition<Rule>) as Value;
}

function over(base: Field | undefined, top: Field): Field {
  if (!base) return top;
  const all = [...(base.lower ?? []), base, ...(top.lower ?? []), top];
  // A template that is reached in two ways counts where it is highest.
  const isLast = ({ location }: Field, at: number) =>
    all.findLastIndex((one) => one.location === location) === at;
  return { ...top, lower: all.filter(isLast).slice(0, -1) };
}

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
  // The flag of an own pool separates it from the mode.
  const isOwnPool = (top.get(poolFlag) ?? base.get(poolFlag))?.value === true;
  const ownMode = mode ?? (isOwnPool ? undefined : pool);
  // In agent mode the pool can still be the organization's.
  const ownPool = pool ?? (mode?.[1].value === 'agent' ? undefined : mode);
  const noMode = entry(modeFlag, isOff);
  const noPool = isOwnPool ? undefined : (noMode ?? entry(poolFlag, isOff));
  const found: (readonly [string, Entry])[] = [];
  if (ownMode && inherits(modeFlag)) found.push([modeFlag, ownMode]);
  if (ownPool && inherits(poolFlag)) found.push([poolFlag, ownPool]);
  if (noMode) found.push(['execution-mode', noMode]);
  if (noPool) found.push(['agent-pool-id', noPool]);
  // With a duration the service computes the time.
  const duration = entry(destroyDuration, isText);
  if (duration && !top.has(destroyTime)) found.push([destroyTime, duration]);
  return found;
}

type Rule = ListRule<Value> | BindingRule;
type Addition<Of extends Rule> = Extract<Of, { readonly add: unknown }>;

function changedList(lower: ListRule<Value>, { add, remove }: Addition<ListRule<Value>>): ListRule<Value> {
  if ('add' in lower)
    return {
      add: union(without(lower.add, remove), add),
      remove: union(without(lower.remove, add), remove),
    };
  const exactly = union(without(lower.exactly, remove), add);
  const except = union(
    without(lower.except ?? [], add),
    remove.filter((removed) => exactly.some((item) => canMeanTheSame(item, removed))),
  );
  return except.length > 0 ? { exactly, except } : { exactly };
}

/** A selector or an id can match a name, and the case of a tag does not count in one of the dialects. */
function canMeanTheSame(item: Value, removed: Value): boolean {
  if (typeof item !== 'string' || typeof removed !== 'string') return true;
  return isWorkspaceId(item) || isWorkspaceId(removed) || item.toLowerCase() === removed.toLowerCase();
}

function changedBindings(lower: BindingRule, { add, remove }: Addition<BindingRule>): BindingRule {
  const kept = Object.entries('exactly' in lower ? lower.exactly : lower.add).filter(
    ([key]) => !remove.includes(key),
  );
  const bindings = { ...Object.fromEntries(kept), ...add };
  if ('exactly' in lower) return { exactly: bindings };
  const removed = [...lower.remove.filter((key) => !Object.hasOwn(add, key)), ...remove];
  return { add: bindings, remove: [...new Set(removed)] };
}

function entryKey(entry: Value): string {
  if (typeof entry === 'string') return entry;
  return JSON.stringify(isRecord(entry) ? Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)) : entry);
}

export function distinct<Item extends Value>(items: readonly Item[]): readonly Item[] {
  const byKey = new Map(items.map((item) => [entryKey(item), item]));
  return byKey.size === items.length ? items : [...byKey.values()];
}

function union(items: readonly Value[], more: readonly Value[]): readonly Value[] {
  return distinct([...items, ...more]);
}

function without(items: readonly Value[], removed: readonly Value[]): readonly Value[] {
  if (removed.length === 0) return items;
  const keys = new Set(removed.map(entryKey));
  return items.filter((item) => !keys.has(entryKey(item)));
}
