import { isAttributePath, workspaceAttributes } from '../model/attributes.ts';
import { sameValue, sortedSet, type Value } from '../model/value.ts';

/**
 * Whether two values of an attribute mean the same to the service. Everything that makes
 * spellings equal stands here, for both sides, so that the comparison itself knows nothing of it.
 */
export function sameAttribute(path: string, a: Value | undefined, b: Value | undefined): boolean {
  return a === b || sameValue(normalise(path, a), normalise(path, b));
}

/** `null`, `""` and a missing member are one absence, sets are sorted, moments are milliseconds. */
function normalise(path: string, value: Value | undefined): Value {
  const spec = isAttributePath(path) ? workspaceAttributes[path] : undefined;
  if (value === undefined || value === null || value === '') return spec?.default ?? null;
  if (spec?.compare === 'set' && Array.isArray(value)) return sortedSet(value.map(String));
  if (spec?.compare === 'instant' && typeof value === 'string') {
    const moment = Date.parse(value);
    return Number.isNaN(moment) ? value : moment;
  }
  // A lock is compared as locked or not; who holds it and why is not ours to decide.
  if (path === 'lock') return isLocked(value);
  return value;
}

export function isLocked(lock: Value | undefined): boolean {
  return typeof lock === 'object' && lock !== null && 'locked' in lock && lock.locked === true;
}
