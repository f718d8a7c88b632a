import { isRecord, type Value, type Values } from './value.ts';

/** Key/value tags; `null` is a key without a value. */
export type TagBindings = Readonly<Record<string, string | null>>;

/** Declared key/value tags: exactly these, or at least these and none of those keys. */
export type BindingRule =
  | { readonly exactly: TagBindings }
  | { readonly add: TagBindings; readonly remove: readonly string[] };

/** As a file or a program writes key/value tags: the tags themselves, or changes of those of the layers. */
export type WrittenBindings = TagBindings | BindingForm;

/** A mapping with one of these keys. A tag may have the same key; its value is a text. */
export type BindingForm =
  | { readonly exactly: TagBindings }
  | { readonly add?: TagBindings; readonly remove?: readonly string[] };

export function isBindingForm(written: unknown): written is BindingForm {
  if (!isRecord(written)) return false;
  const { exactly, add, remove } = written;
  return isRecord(exactly) || isRecord(add) || Array.isArray(remove);
}

/** Reads key/value tags of a resource; `undefined` if they are not managed or were not read. */
export function asBindings(value: Value | undefined): TagBindings | undefined {
  return isRecord(value) ? (value as TagBindings) : undefined;
}

/** The declared key/value tags of a desired resource. */
export function asBindingRule(value: Value | undefined): BindingRule | undefined {
  return isRecord(value) ? (value as unknown as BindingRule) : undefined;
}

/** The key/value tags after a rule is applied to the live ones. */
export function applyBindingRule(rule: BindingRule, live: TagBindings): TagBindings {
  if ('exactly' in rule) return sortedBindings(rule.exactly);
  const removed = new Set(rule.remove);
  const kept = Object.entries(live).filter(([key]) => !removed.has(key));
  return sortedBindings({ ...Object.fromEntries(kept), ...rule.add });
}

/** Sorts by key, so that the same bindings give the same bytes. */
export function sortedBindings(bindings: TagBindings): TagBindings {
  return Object.fromEntries(Object.entries(bindings).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The bindings that are added and removed between two sets, as `key=value` or `key`. */
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

/** Each of the bindings as `key=value` or `key`. */
export function bindingTexts(bindings: TagBindings): string[] {
  return Object.entries(bindings).map(([key, value]) => bindingText(key, value));
}

export function bindingText(key: string, value: string | null): string {
  return value === null ? key : `${key}=${value}`;
}

/** The bindings that apply to a workspace: its own, and those of its project that it does not override. */
export function effectiveBindings(attributes: Values): TagBindings {
  return { ...asBindings(attributes['inherited-tag-bindings']), ...asBindings(attributes['tag-bindings']) };
}
