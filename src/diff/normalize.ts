import { attributeRow } from '../model/attributes.ts';
import type { FieldChange } from '../model/change.ts';
import {
  applyBindingRule,
  asBindingRule,
  asBindings,
  bindingDifference,
  type TagBindings,
} from '../model/list-rule.ts';
import { sameValue, sortedSet, type Value, type Values } from '../model/value.ts';
import { isLocked } from '../relations/relations.ts';

export interface ValueDifference {
  readonly path: string;
  readonly before: Value | undefined;
  readonly after: Value | undefined;
}

/** The values that differ for the service. Without paths, those of both sides are compared. */
export function differences(
  before: Values,
  after: Values,
  paths: Iterable<string> = new Set([...Object.keys(before), ...Object.keys(after)]),
): readonly ValueDifference[] {
  return [...paths]
    .filter((path) => !sameAttribute(path, before[path], after[path]))
    .map((path) => ({ path, before: before[path], after: after[path] }));
}

/**
 * Whether two values of an attribute are equal for the service. {@link normalize} removes differences in spelling on
 * both sides.
 */
export function sameAttribute(path: string, a: Value | undefined, b: Value | undefined): boolean {
  return a === b || sameValue(normalize(path, a), normalize(path, b));
}

/**
 * Normalizes a value for comparison. `null`, `""` and a missing member are the attribute's default. Sets are sorted,
 * times are milliseconds, and a lock is a boolean.
 */
function normalize(path: string, value: Value | undefined): Value {
  if (path === 'lock') return isLocked(value);
  const spec = attributeRow(path);
  if (value === undefined || value === null || value === '') return spec?.default ?? null;
  if (spec?.compare === 'set' && Array.isArray(value)) return sortedSet(value.map(String));
  if (spec?.compare === 'instant') {
    const moment = Date.parse(String(value));
    return Number.isNaN(moment) ? value : moment;
  }
  return value;
}

const path = 'tag-bindings';

/** The own key/value tags after the plan; `undefined` if they are not managed and were not read. */
export function targetBindings(rule: Value | undefined, live: Values | undefined): TagBindings | undefined {
  const current = asBindings(live?.[path]);
  const declared = asBindingRule(rule);
  return declared ? applyBindingRule(declared, current ?? {}) : current;
}

export function bindingField(target: Values, live: Values | undefined): FieldChange[] {
  const after = asBindings(target[path]);
  if (after === undefined) return [];
  const before = asBindings(live?.[path]) ?? {};
  const { add, remove } = bindingDifference(before, after);
  if (add.length + remove.length === 0) return [];
  return [{ path, before: live ? before : null, after, add, remove }];
}

export function addsBindings(rule: Value | undefined, [field]: readonly FieldChange[]): boolean {
  const declared = asBindingRule(rule);
  if (declared === undefined || !('add' in declared) || field === undefined) return false;
  const after = asBindings(field.after) ?? {};
  return Object.keys(asBindings(field.before) ?? {}).every((key) => Object.hasOwn(after, key));
}
