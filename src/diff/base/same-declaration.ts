import { listPaths } from '../../model/attributes.ts';
import type { ListRule } from '../../model/state.ts';
import { asBindingRule } from '../../model/tag-bindings.ts';
import { sameValue, sortedSet, type Value } from '../../model/value.ts';
import { sameAttribute } from '../normalize.ts';

/** Whether two configurations declare the same under a path. A missing value is unmanaged. */
export function sameDeclaration(path: string, a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  if (listPaths.has(path)) return sameValue(comparableList(a), comparableList(b));
  if (path === 'tag-bindings') return sameValue(comparableBindings(a), comparableBindings(b));
  return sameAttribute(path, a, b);
}

/** A declared list as a rule. */
export function asRule(declared: Value): ListRule<Value> {
  return Array.isArray(declared) ? { exactly: declared } : (declared as unknown as ListRule<Value>);
}

/** The entries that a list asserts. */
export function asserted(rule: ListRule<Value>): readonly Value[] {
  if ('add' in rule) return rule.add;
  const without = new Set((rule.except ?? []).map(listEntryKey));
  return rule.exactly.filter((item) => !without.has(listEntryKey(item)));
}

/** Equal for equal entries: texts, or selectors. */
export function listEntryKey(entry: Value): string {
  return typeof entry === 'string' ? entry : JSON.stringify(entry);
}

function comparableList(declared: Value): Value {
  const rule = asRule(declared);
  const entries = sortedSet(asserted(rule).map(listEntryKey));
  if ('add' in rule) return { add: entries, remove: sortedSet(rule.remove.map(listEntryKey)) };
  // A selector can select an entry that is left out.
  const isPlain = rule.exactly.every((item) => typeof item === 'string');
  return { exactly: entries, except: isPlain ? [] : sortedSet((rule.except ?? []).map(listEntryKey)) };
}

function comparableBindings(declared: Value): Value {
  const rule = asBindingRule(declared);
  if (rule === undefined || 'exactly' in rule) return declared;
  return { add: rule.add, remove: sortedSet(rule.remove) };
}
