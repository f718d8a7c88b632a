import { isLocked, sameAttribute } from '../diff/normalize.ts';
import { sameValue, type Value } from '../model/value.ts';
import type { Facts } from '../plan/facts.ts';

/** What of a plan's facts is not so any more, each with what it was and is. */
export function movedSince(facts: Facts, now: Facts): string[] {
  return Object.entries(facts).flatMap(([path, before]) => {
    if (path === 'exists' || isSame(path, before, now[path])) return [];
    if (path === 'lock') return [`it was ${isLocked(before) ? 'locked' : 'unlocked'} and is not any more`];
    return [`${path} was ${shown(before)} and is ${shown(now[path])}`];
  });
}

/** As the plan describes the repository that it takes away: its keys that are set. */
export function repositoryOf(attributes: Facts): Value {
  const keys = Object.entries(attributes)
    .filter(([path, value]) => path.startsWith('vcs-repo.') && value !== null && value !== '')
    .map(([path, value]) => [path.slice('vcs-repo.'.length), value]);
  return keys.length > 0 ? Object.fromEntries(keys) : null;
}

function isSame(path: string, before: Value, now: Value | undefined): boolean {
  if (path === 'tags') return sameValue(before, now ?? []);
  return sameAttribute(path, before, now);
}

export function shown(value: Value | undefined): string {
  return value === undefined || value === null ? 'not set' : JSON.stringify(value);
}
