import {
  attributePaths,
  destroyDuration,
  destroyTime,
  isAttributePath,
  isRepositoryPath,
  isUnder,
  listPaths,
  modeFlag,
  nestedAttributes,
  poolFlag,
  referencePaths,
  workspaceRelations,
} from '../model/attributes.ts';
import {
  type Field,
  type Fields,
  isWhole,
  type Layered,
  noLayers,
  type WrittenList,
} from '../model/fields.ts';
import {
  type BindingRule,
  bindingText,
  isBindingForm,
  type ListRule,
  type TagBindings,
  type WrittenBindings,
} from '../model/list-rule.ts';
import { type ConsumerRef, isWorkspaceId } from '../model/state.ts';
import { hintAt, quote } from '../model/text.ts';
import { isRecord, noneIfEmpty, type Value } from '../model/value.ts';
import type { Origins } from './files/source.ts';
import { reporter } from './problems.ts';
import { readSelector } from './references.ts';
import { checkField, type LayerContext } from './rules/field-rules.ts';
import type { RawLayer, RawList } from './schema/layer-schema.ts';
import { bindingRule } from './tag-bindings.ts';

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
    return { add: union(without(lower.add, remove), add), remove: union(without(lower.remove, add), remove) };
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

function distinct<Item extends Value>(items: readonly Item[]): readonly Item[] {
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

const metadata = new Set(['extends', 'state', 'delete', 'renamed-from', 'unmanaged', 'when']);
const nestedKeys: ReadonlySet<string> = new Set(nestedAttributes);

export function readLayer(layer: RawLayer, context: LayerContext): Fields {
  const fields = new Map<string, Field>();
  const { origins } = context.loading;
  const add = (path: string, holder: object, key: string) => {
    const raw = (holder as Readonly<Record<string, Value | undefined>>)[key];
    const kind = referencePaths[path];
    const value =
      kind !== undefined && typeof raw === 'string'
        ? context.references.resolve(kind, raw, origins.atValue(holder, key))
        : fieldValue(path, raw, context);
    const lists = value === undefined ? [] : writtenLists(path, raw, origins);
    const location = origins.atKey(holder, key);
    const field: Field = { value, raw, layer: context.layer, location, lists: noneIfEmpty(lists) };
    fields.set(path, field);
    checkField(path, field, holder, context);
  };
  for (const key of Object.keys(layer)) {
    const value = layer[key];
    if (metadata.has(key)) continue;
    if (!nestedKeys.has(key) || !isRecord(value)) add(key, layer, key);
    else
      for (const inner of Object.keys(value))
        if (isAttributePath(`${key}.${inner}`)) add(`${key}.${inner}`, value, inner);
  }
  return fields;
}

function fieldValue(path: string, raw: Value | undefined, context: LayerContext): Value | undefined {
  if (raw === undefined) return undefined;
  if (path === 'tag-bindings') return bindingRule(raw as unknown as WrittenBindings, context.layer) as Value;
  if (path === 'lock') return lockValue(raw);
  return listPaths.has(path) ? listRule(raw as RawList<ConsumerRef>, context) : raw;
}

/**
 * What one layer declares for a list, relative to the layers below it. A plain list in the defaults or a template adds;
 * a plain list of a workspace is exact, and {@link overlayFields} adds what the layers below add.
 */
function listRule(raw: RawList<ConsumerRef>, context: LayerContext): ListRule<ConsumerRef> {
  const read = (items: readonly ConsumerRef[] = []) =>
    distinct(items.map((item) => (typeof item === 'string' ? item : readSelector(item, context))));
  if (Array.isArray(raw))
    return context.layer === 'workspace' ? { exactly: read(raw) } : { add: read(raw), remove: [] };
  const { exactly, add, remove } = raw as Exclude<typeof raw, readonly unknown[]>;
  return exactly ? { exactly: read(exactly) } : { add: read(add), remove: read(remove) };
}

function writtenLists(path: string, raw: unknown, origins: Origins): readonly WrittenList[] {
  if (path !== 'tag-bindings' && !listPaths.has(path)) return [];
  const isForm = path === 'tag-bindings' ? isBindingForm(raw) : isRecord(raw);
  const forms = isForm ? (raw as object) : { list: raw };
  return Object.entries(forms).flatMap(([form, written]: [string, unknown]): readonly WrittenList[] => {
    const effect = form as WrittenList['effect'];
    if (Array.isArray(written))
      return [{ effect, items: written, locate: (index) => origins.atValue(written, index) }];
    if (!isRecord(written)) return [];
    const keys = Object.keys(written).filter((key) => written[key] !== undefined);
    const items = keys.map((key) => bindingText(key, (written as TagBindings)[key] ?? null));
    return [{ effect, items, locate: (index) => origins.atKey(written, keys[index] ?? '') }];
  });
}

function lockValue(raw: Value): Value {
  if (!isRecord(raw)) return { locked: raw === true };
  const { reason } = raw as { readonly reason?: string };
  return reason === undefined ? { locked: true } : { locked: true, reason };
}

const inheritedKeys: ReadonlySet<string> = new Set([
  ...attributePaths,
  ...nestedAttributes,
  ...workspaceRelations,
  'protect',
]);

export function readUnmanaged(
  { unmanaged }: RawLayer,
  fields: Fields,
  { loading, layer, address }: LayerContext,
): Fields {
  if (!unmanaged) return noLayers.stops;
  const { error } = reporter(loading, address);
  const stops = new Map<string, Field>();
  for (const [index, key] of unmanaged.entries()) {
    const location = loading.origins.atValue(unmanaged, index);
    const set = [...fields.keys()].find((path) => isUnder(path, key) || isUnder(key, path));
    if (!inheritedKeys.has(key))
      error('unknown-key', `${quote(key)} is not a key that a workspace inherits`, location, () => {
        const nested = [...inheritedKeys].find((known) => known.endsWith(`.${key}`));
        if (nested !== undefined) return `did you mean "${nested}"?`;
        const usual = 'write a key of a template, such as iac-version or vcs-repo.branch';
        return hintAt(key, inheritedKeys, usual);
      });
    else if (set !== undefined) {
      const where = set === key ? '' : ` (${set})`;
      error('exclusive-settings', `${quote(key)} is unmanaged and set in the same layer${where}`, location);
    } else stops.set(key, { value: undefined, raw: key, location, layer });
  }
  return stops;
}
