import { isAttributePath, workspaceAttributes } from '../model/attributes.ts';
import { sameValue, sortedSet, type Value } from '../model/value.ts';

/**
 * Whether two values of an attribute mean the same to the service. All differences in spelling are removed by
 * {@link normalize} on both sides, so the comparison itself knows no special cases.
 */
export function sameAttribute(path: string, a: Value | undefined, b: Value | undefined): boolean {
  return a === b || sameValue(normalize(path, a), normalize(path, b));
}

/**
 * A value as it is compared. An attribute without a value has its default: `null`, `""` and a missing member mean the
 * same. Sets are sorted, instants are milliseconds, and a lock is locked or not.
 */
function normalize(path: string, value: Value | undefined): Value {
  const spec = isAttributePath(path) ? workspaceAttributes[path] : undefined;
  if (value === undefined || value === null || value === '') return spec?.default ?? null;
  if (spec?.compare === 'set' && Array.isArray(value)) return sortedSet(value.map(String));
  if (spec?.compare === 'instant' && typeof value === 'string') {
    const moment = Date.parse(value);
    return Number.isNaN(moment) ? value : moment;
  }
  if (path === 'lock') return isLocked(value);
  return value;
}

export function isLocked(lock: Value | undefined): boolean {
  return typeof lock === 'object' && lock !== null && 'locked' in lock && lock.locked === true;
}
