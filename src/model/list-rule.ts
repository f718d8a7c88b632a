import { isRecord, sortedSet, type Value, type Values } from './value.ts';

/** A declared list: exactly `these` without those that `except` selects, or changes to the live list. */
export type ListRule<Item extends Value = string> =
  | { readonly exactly: readonly Item[]; readonly except?: readonly Item[] }
  | { readonly add: readonly Item[]; readonly remove: readonly Item[] };

/** An exact list of triggers is a plain list and not a rule. */
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

export function mapListRule<Item extends Value, Mapped extends Value>(
  rule: ListRule<Item>,
  wanted: (items: readonly Item[]) => readonly Mapped[],
  unwanted: (items: readonly Item[]) => readonly Mapped[] = wanted,
): ListRule<Mapped> {
  if ('add' in rule) return { add: wanted(rule.add), remove: unwanted(rule.remove) };
  const exactly = wanted(rule.exactly);
  return rule.except ? { exactly, except: unwanted(rule.except) } : { exactly };
}

export function listDifference(
  before: readonly string[],
  after: readonly string[],
): { add: string[]; remove: string[] } {
  const had = new Set(before);
  const has = new Set(after);
  return { add: after.filter((item) => !had.has(item)), remove: before.filter((item) => !has.has(item)) };
}

/** Key/value tags; `null` is a key without a value. */
export type TagBindings = Readonly<Record<string, string | null>>;

/** Declared key/value tags: exactly these, or at least these and none of those keys. */
export type BindingRule =
  | { readonly exactly: TagBindings }
  | { readonly add: TagBindings; readonly remove: readonly string[] };

/** As a file or a program writes key/value tags: the tags themselves, or changes of those of the layers. */
export type WrittenBindings = TagBindings | BindingForm;

/** A mapping with one of these keys. A tag may have the same key; its value is a text. */
type BindingForm =
  | { readonly exactly: TagBindings }
  | { readonly add?: TagBindings; readonly remove?: readonly string[] };

export function isBindingForm(written: unknown): written is BindingForm {
  if (!isRecord(written)) return false;
  const { exactly, add, remove } = written;
  return isRecord(exactly) || isRecord(add) || Array.isArray(remove);
}

export function asBindings(value: Value | undefined): TagBindings | undefined {
  return isRecord(value) ? (value as TagBindings) : undefined;
}

export function asBindingRule(value: Value | undefined): BindingRule | undefined {
  return isRecord(value) ? (value as unknown as BindingRule) : undefined;
}

export function applyBindingRule(rule: BindingRule, live: TagBindings): TagBindings {
  if ('exactly' in rule) return sortedBindings(rule.exactly);
  const removed = new Set(rule.remove);
  const kept = Object.entries(live).filter(([key]) => !removed.has(key));
  return sortedBindings({ ...Object.fromEntries(kept), ...rule.add });
}

export function sortedBindings(bindings: TagBindings): TagBindings {
  return Object.fromEntries(Object.entries(bindings).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function bindingDifference(
  before: TagBindings,
  after: TagBindings,
): { readonly add: string[]; readonly remove: string[] } {
  const only = (one: TagBindings, other: TagBindings) =>
    Object.entries(one)
      .filter(([key, value]) => !Object.hasOwn(other, key) || other[key] !== value)
      .map(([key, value]) => bindingText(key, value))
      .sort();
  return { add: only(after, before), remove: only(before, after) };
}

export function bindingTexts(bindings: TagBindings): string[] {
  return Object.entries(bindings).map(([key, value]) => bindingText(key, value));
}

export function bindingText(key: string, value: string | null): string {
  return value === null ? key : `${key}=${value}`;
}

export function effectiveBindings(attributes: Values): TagBindings {
  return { ...asBindings(attributes['inherited-tag-bindings']), ...asBindings(attributes['tag-bindings']) };
}
