import type { Document } from '../service/documents.ts';
import type { PreparedCall, SendContext } from './prepared-call.ts';
import { sendLock } from './send-lock.ts';
import type { Obstacle } from './workspace-conflict.ts';

/**
 * Locks or unlocks as the files say. The wanted state may have come about meanwhile, which is as good; a lock that
 * somebody else holds makes the change fail with who that is. Attune never forces a lock open here.
 */
export async function changeLock(
  { call, kind, change }: PreparedCall,
  { client, notice }: SendContext,
): Promise<Document | undefined> {
  const wanted = kind === 'lock';
  const isWanted = ({ locked }: Obstacle) => locked === wanted;
  const { document, wasDone } = await sendLock(call, {
    client,
    tookEffect: isWanted,
    isAsGood: isWanted,
    hint: 'ask the holder to unlock it; Attune does not force a lock open',
  });
  if (wasDone) {
    notice({
      severity: 'note',
      code: 'already-done',
      message: `"${change.name}" was ${wanted ? 'locked' : 'unlocked'} already when its turn came`,
      address: change.address,
    });
  }
  return document;
}
