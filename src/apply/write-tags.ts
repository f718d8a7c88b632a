import type { Call } from '../model/plan.ts';
import type { Document } from '../service/documents.ts';
import { ServiceError } from '../service/service-error.ts';
import type { SendContext } from './prepared-call.ts';

/** Waits before a tag that was just made for another workspace is added once more, in milliseconds. */
const raceWaits = [200, 400, 800];

/**
 * Adds or removes tags. A tag that is new to the organization is made by its first use, and of two workspaces that use
 * it at the same moment the service may refuse one because of the other; a moment later it is a tag like any other.
 */
export async function writeTags(
  call: Call,
  { client, clock }: Pick<SendContext, 'client' | 'clock'>,
): Promise<Document | undefined> {
  for (const wait of raceWaits) {
    try {
      return await client.send(call, { repeatable: true });
    } catch (error) {
      if (call.method !== 'POST' || !isTaken(error)) throw error;
      await clock.sleep(wait);
    }
  }
  return client.send(call, { repeatable: true });
}

function isTaken(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.status !== 422) return false;
  return error.errors.some(({ detail }) => /already been taken/i.test(detail ?? ''));
}
