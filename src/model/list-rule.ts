import type { FieldChange } from './change.ts';
import type { ListRule } from './state.ts';
import {
  applyBindingRule,
  asBindingRule,
  asBindings,
  bindingDifference,
  type TagBindings,
} from './tag-bindings.ts';
import { isRecord, sortedSet, type Value, type Values } from './value.ts';

/** Parses a declared list; an exact list of triggers is a plain list and not a rule. */
export function asListRule<Item extends Value>(value: Value | undefined): ListRule<Item> | undefined {
  return isRecord(value) ? (value as unknown as ListRule<Item>) : undefined;
}

export function applyListRule(rule: ListRule, live: readonly string[]): string[] {
  const [items, without] =
    'exactly' in rule ? [rule.exactly, rule.except] : [[...live, ...rule.add], rule.remove];
  const removed = new Set(without);
  return sortedSet(items).filter((item) => !removed.has(item));
}

export function namedEntries<Item extends Value>(rule: ListRule<Item>): readonly Item[] {
  return 'exactly' in rule ? [...rule.exactly, ...(rule.except ?? [])] : [...rule.add, ...rule.remove];
}

/** A rule with its entries replaced: the entries that must be in the list, and those that must not. */
export function mapListRule<Item extends Value, Mapped extends Value>(
  rule: ListRule<Item>,
  wanted: (items: readonly Item[]) => readonly Mapped[],
  unwanted: (items: readonly Item[]) => readonly Mapped[] = wanted,
): ListRule<Mapped> {
  if ('add' in rule) return { add: wanted(rule.add), remove: unwanted(rule.remove) };
  return { exactly: wanted(rule.exactly), ...(rule.except && { except: unwanted(rule.except) }) };
}

/** The entries to add to one list, and to remove from it, to get another. */
export function listDifference(
  before: readonly string[],
  after: readonly string[],
): { add: string[]; remove: string[] } {
  const had = new Set(before);
  const has = new Set(after);
  return {
    add: after.filter((item) => !had.has(item)),
    remove: before.filter((item) => !has.has(item)),
  };
}

const path = 'tag-bindings';

/** The own key/value tags after the plan; `undefined` if they are not managed and were not read. */
export function targetBindings(rule: Value | undefined, live: Values | undefined): TagBindings | undefined {
  const current = asBindings(live?.[path]);
  const declared = asBindingRule(rule);
  return declared ? applyBindingRule(declared, current ?? {}) : current;
}

/** The difference between the own key/value tags. */
export function bindingField(target: Values, live: Values | undefined): FieldChange[] {
  const after = asBindings(target[path]);
  if (after === undefined) return [];
  const before = asBindings(live?.[path]) ?? {};
  const { add, remove } = bindingDifference(before, after);
  if (add.length + remove.length === 0) return [];
  return [{ path, before: live ? before : null, after, add, remove }];
}

/** Whether a change only adds or overwrites key/value tags that are declared as additions. */
export function addsBindings(rule: Value | undefined, [field]: readonly FieldChange[]): boolean {
  const declared = asBindingRule(rule);
  if (declared === undefined || !('add' in declared) || field === undefined) return false;
  const after = asBindings(field.after) ?? {};
  return Object.keys(asBindings(field.before) ?? {}).every((key) => Object.hasOwn(after, key));
}
