import type { Facts } from '../../plan/facts.ts';
import { ChangedSincePlanError, changesSince } from '../changed-since-plan.ts';
import type { PreparedCall, SendContext } from './operation.ts';

/** A value that was read longer ago than this many milliseconds is read again before it is removed or overwritten. */
const freshFor = 3000;

export function isFresh({ clock, readAt }: Pick<SendContext, 'clock' | 'readAt'>): boolean {
  return readAt !== undefined && clock.now() - readAt <= freshFor;
}

/**
 * Compares facts of a plan with what is live now, unless they were read a moment ago.
 *
 * @param read `undefined` where the resource is gone. The call finds that out: for a delete it is done, for others it
 * is refused.
 * @throws {ChangedSincePlanError}
 */
export async function recheckFacts(
  { change }: PreparedCall,
  context: SendContext,
  { facts, read }: { readonly facts: Facts; readonly read: () => Promise<Facts | undefined> },
): Promise<void> {
  if (change.action === 'create' || isFresh(context) || Object.keys(facts).length === 0) return;
  const now = await read();
  const changes = now === undefined ? [] : changesSince(facts, now);
  if (changes.length > 0) throw new ChangedSincePlanError(change.address, changes.join('; '));
}

export function pickFacts(facts: Facts, paths: readonly string[]): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([path]) => paths.includes(path)));
}
