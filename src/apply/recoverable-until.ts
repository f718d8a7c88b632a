import { recoverableItems } from '../live/recoverable-items.ts';
import type { AppliedChange } from '../model/apply-result.ts';
import { AttuneError } from '../model/attune-error.ts';
import type { ServiceReader } from '../service/client.ts';

/** The changes with the date until which each deleted workspace can be recovered, where the plan expects that. */
export async function withRecoverableUntil(
  changes: readonly AppliedChange[],
  organization: string,
  reader: ServiceReader,
): Promise<readonly AppliedChange[]> {
  const deleted = changes.filter(({ recovery, result }) => recovery === 'recoverable' && result === 'done');
  const ids = deleted.flatMap(({ id }) => id ?? []);
  // The deletes are done, whatever a read after them answers.
  const items = await recoverableItems(reader, organization, ids).catch((error: unknown) => {
    if (error instanceof AttuneError) return undefined;
    throw error;
  });
  return changes.map((change) => {
    const { expiresAt } = (deleted.includes(change) && items?.get(change.id ?? '')) || {};
    return expiresAt === undefined ? change : { ...change, recoverableUntil: expiresAt };
  });
}
