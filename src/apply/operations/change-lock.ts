import { asResourceObject, type Document } from '../../service/documents.ts';
import { sendLock, unlockTries } from '../send-lock.ts';
import { compareValues, readAnswer } from './compare-answer.ts';
import type { OperationHandler } from './operation.ts';

export const lockWorkspace = changeLock(true);
export const unlockWorkspace = changeLock(false);

/**
 * Locks or unlocks a workspace as declared; it succeeds if another user has done so since the plan. If another user
 * holds the lock, the change fails and names that user: Attune never force-unlocks during an apply.
 */
function changeLock(locks: boolean): OperationHandler {
  return {
    async send({ call, change, id }, { send, reader, notice }) {
      const isWanted = ({ locked }: { readonly locked: boolean }) => locked === locks;
      const { document, wasDone } = await sendLock(call, {
        workspace: id,
        send,
        reader,
        ...(!locks && { tries: unlockTries }),
        tookEffect: isWanted,
        isAsGood: isWanted,
        hint: 'ask the holder to unlock it; apply never force-unlocks',
      });
      if (wasDone) {
        notice({
          severity: 'note',
          code: 'already-done',
          message: `"${change.name}" was ${locks ? 'locked' : 'unlocked'} already`,
          address: change.address,
        });
      }
      return document;
    },
    verify({ change }, document) {
      const lock = answeredLock(document);
      return lock ? compareValues(change.address, [['lock', { locked: locks }, lock]]) : [];
    },
    record: (_prepared, document) => readAnswer(() => ({ lock: answeredLock(document) })),
  };
}

function answeredLock({ data }: Document): { readonly locked: boolean } | undefined {
  const locked = asResourceObject(data)?.attributes.locked;
  return typeof locked === 'boolean' ? { locked } : undefined;
}
