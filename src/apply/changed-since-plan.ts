import { isLocked, sameAttribute } from '../diff/normalize.ts';
import { AttuneError } from '../model/attune-error.ts';
import { sameValue, type Value } from '../model/value.ts';
import type { Facts } from '../plan/facts.ts';

/** A live value that the plan was computed from has changed; nothing was overwritten. */
export class ChangedSincePlanError extends AttuneError {
  override readonly name = 'ChangedSincePlanError';
  override readonly code = 'moved-on';

  constructor(address: string, how: string) {
    super(`the plan is stale: ${address} changed after the plan was made (${how})`, { hint: 'plan again' });
  }
}

/** The facts of a plan that have changed, each with its former and its present value. */
export function changesSince(facts: Facts, now: Facts): string[] {
  return Object.entries(facts).flatMap(([path, before]) => {
    if (path === 'exists' || isSame(path, before, now[path])) return [];
    if (path === 'lock') return [`it was ${isLocked(before) ? 'locked' : 'unlocked'} and is not now`];
    return [`${path} was ${shownFact(before)} and is ${shownFact(now[path])}`];
  });
}

function isSame(path: string, before: Value, now: Value | undefined): boolean {
  if (path === 'tags') return sameValue(before, now ?? []);
  return sameAttribute(path, before, now);
}

export function shownFact(value: Value | undefined): string {
  return value === undefined || value === null ? 'not set' : JSON.stringify(value);
}
