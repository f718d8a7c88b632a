import type { Facts } from '../../plan/facts.ts';
import { ChangedSincePlanError, changesSince } from '../changed-since-plan.ts';
import type { PreparedCall, SendContext } from './operation.ts';

/** A value that is older than this many milliseconds is read again before it is removed or overwritten. */
const freshFor = 3000;

export function isFresh({ clock, readAt }: Pick<SendContext, 'clock' | 'readAt'>): boolean {
  return readAt !== undefined && clock.now() - readAt <= freshFor;
}

/**
 * Compares facts of a plan with the live state, unless that was read less than `freshFor` ago. A deletion is compared in
 * any case.
 *
 * @param read resolves with `undefined` if the resource no longer exists. The call then handles that: a delete
 * succeeds, any other call fails.
 * @throws {ChangedSincePlanError}
 */
export async function recheckFacts(
  { change }: PreparedCall,
  context: SendContext,
  { facts, read }: { readonly facts: Facts; readonly read: () => Promise<Facts | undefined> },
): Promise<void> {
  const isCompared = change.action === 'delete' || (change.action === 'update' && !isFresh(context));
  if (!isCompared || Object.keys(facts).length === 0) return;
  const now = await read();
  const changes = now === undefined ? [] : changesSince(facts, now);
  if (changes.length > 0) throw new ChangedSincePlanError(change.address, changes.join('; '));
}

export function pickFacts(facts: Facts, paths: readonly string[]): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([path]) => paths.includes(path)));
}
