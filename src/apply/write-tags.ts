import type { Dialect } from '../model/dialect.ts';
import type { Call } from '../model/plan.ts';
import { isRecord } from '../model/value.ts';
import type { Document } from '../service/documents.ts';
import { ServiceError } from '../service/service-error.ts';
import type { SendContext } from './prepared-call.ts';

/** Waits before a tag that was just made by another run is added once more, in milliseconds. */
const raceWaits = [200, 400, 800];

type TagContext = Pick<SendContext, 'client' | 'clock' | 'dialect' | 'firstUses'>;

/**
 * Adds or removes tags. The first use of a tag goes alone (see {@link createFirstUses}); where another run uses it at
 * the same moment and the service stumbles over that, it is a tag like any other a moment later.
 */
export async function writeTags(call: Call, context: TagContext): Promise<Document | undefined> {
  if (call.method !== 'POST') return context.client.send(call, { repeatable: true });
  return context.firstUses.use(tagsOf(call, context.dialect), () => addTags(call, context));
}

async function addTags(call: Call, { client, clock }: TagContext): Promise<Document | undefined> {
  for (const wait of raceWaits) {
    try {
      return await client.send(call, { repeatable: true });
    } catch (error) {
      if (!isTaken(error)) throw error;
      await clock.sleep(wait);
    }
  }
  return client.send(call, { repeatable: true });
}

/** As the service stores them: two spellings of one tag are one first use. */
function tagsOf({ body }: Call, dialect: Dialect): string[] {
  const data = isRecord(body) && Array.isArray(body.data) ? body.data : [];
  return data.flatMap((item: unknown) => {
    const name = isRecord(item) && isRecord(item.attributes) ? item.attributes.name : undefined;
    if (typeof name !== 'string') return [];
    return [dialect === 'terraform' ? name.toLowerCase() : name];
  });
}

function isTaken(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.status !== 422) return false;
  return error.errors.some(({ detail }) => /already been taken/i.test(detail ?? ''));
}
