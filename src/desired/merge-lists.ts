import { isWorkspaceId, type ListRule } from '../model/state.ts';
import { isRecord, type Value } from '../model/value.ts';
import type { Field, WrittenList } from './fields.ts';
import type { RawList } from './schema/language.ts';

type Rule = ListRule<Value>;

/**
 * What one layer declares for a list, relative to the layers below it. A plain list in the defaults or a template adds;
 * a plain list of a workspace is exact, and {@link mergeList} adds what the layers below add.
 */
export function listRule<Item extends Value>(
  raw: RawList<Item>,
  layer: Field['layer'],
  read: (items: readonly Item[]) => readonly Item[] = (items) => items,
): ListRule<Item> {
  if (isPlain(raw)) {
    const items = distinct(read(raw));
    return layer === 'workspace' ? { exactly: items } : { add: items, remove: [] };
  }
  const { exactly, add = [], remove = [] } = raw;
  if (exactly) return { exactly: distinct(read(exactly)) };
  return { add: distinct(read(add)), remove: distinct(read(remove)) };
}

/** The rule of a list together with what lower layers declare for it. */
export function mergeList(base: Field | undefined, top: Field): Value | undefined {
  const lower = base?.value as Rule | undefined;
  const own = top.value as Rule | undefined;
  if (lower === undefined || own === undefined) return top.value;
  if ('add' in own) return changed(lower, own) as Value;
  // Only a plain list of a workspace is exact and takes what lower layers add.
  if (top.layer !== 'workspace' || isComplete(top)) return top.value;
  return changed('add' in lower ? { exactly: lower.add } : lower, { add: own.exactly, remove: [] }) as Value;
}

/** Whether lower layers do not count: under `exactly`, and under an empty list of a workspace. */
function isComplete({ raw, layer }: Field): boolean {
  return isPlain(raw)
    ? layer === 'workspace' && raw.length === 0
    : isRecord(raw) && raw.exactly !== undefined;
}

function changed(lower: Rule, { add, remove }: Extract<Rule, { add: unknown }>): Rule {
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
  return { exactly, ...(except.length > 0 && { except }) };
}

/** A selector or an id can match a name, and the case of a tag does not count in one of the dialects. */
function canMeanTheSame(item: Value, removed: Value): boolean {
  if (typeof item !== 'string' || typeof removed !== 'string') return true;
  return isWorkspaceId(item) || isWorkspaceId(removed) || item.toLowerCase() === removed.toLowerCase();
}

/** The lists of all layers that count, lowest first, each with the layer's field. */
export function* countingLists(
  field: Field,
): Generator<{ readonly field: Field; readonly list: WrittenList }> {
  const fields = [...(field.lower ?? []), field];
  const first = fields.findLastIndex(isWhole);
  for (const counting of fields.slice(Math.max(first, 0)))
    for (const list of counting.lists ?? []) yield { field: counting, list };
}

/** The same as {@link isComplete}, for key/value tags, too. */
function isWhole({ layer, lists = [] }: Field): boolean {
  return lists.some(
    ({ effect, items }) =>
      effect === 'exactly' || (effect === 'list' && layer === 'workspace' && items.length === 0),
  );
}

/** Equal for two entries that are the same, whatever the order of their keys. */
export function entryKey(entry: Value): string {
  if (typeof entry === 'string') return entry;
  return JSON.stringify(isRecord(entry) ? Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)) : entry);
}

function isPlain<Item>(raw: RawList<Item> | Value | undefined): raw is readonly Item[] & readonly Value[] {
  return Array.isArray(raw);
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
