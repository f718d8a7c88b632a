import { attributeRow } from '../model/attributes.ts';
import { sameValue, sortedSet, type Value } from '../model/value.ts';
import { isLocked } from '../relations/relations.ts';

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
