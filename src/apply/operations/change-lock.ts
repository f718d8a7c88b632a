import { isRecord, type Value } from '../../model/value.ts';
import { asResourceObject, type Document } from '../../service/documents.ts';
import { isStatePending, ServiceError, withHint } from '../../service/service-error.ts';
import { requireUnchanged } from '../changed-since-plan.ts';
import { presentFacts, readConflict, readLock } from '../present-values.ts';
import { answeredValue } from './compare-answer.ts';
import { alreadyDone, isFresh, type OperationHandler } from './operation.ts';

/** An unlock waits for the newest state version to be finished (interface, section 3): half a minute by the backoff. */
const unlockTries = 9;

const lockWorkspace = changeLock(true, {});
const unlockWorkspace = changeLock(false, { tries: unlockTries });

/** Removes the lock of any user or run, but not one that another user has set since the plan. */
const forceUnlockWorkspace: OperationHandler = {
  ...changeLock(false, {}),
  async recheck({ change, id }, context) {
    if (isFresh(context)) return;
    const present = await presentFacts(id, {}, context);
    const now = present?.now.lock;
    if (isOther(change.facts?.lock, now)) requireUnchanged(change, ['its lock is another one now']);
  },
};

export const lockOperations = { lockWorkspace, unlockWorkspace, forceUnlockWorkspace };

function isOther(before: Value | undefined, now: Value | undefined): boolean {
  if (!isRecord(before) || !isRecord(now) || now.locked !== true) return false;
  return (['by', 'reason'] as const).some((key) => before[key] !== now[key]);
}

/**
 * Locks or unlocks a workspace as declared; it succeeds if another user has done so since the plan. If another user
 * holds the lock, the change fails and names that user.
 */
function changeLock(locks: boolean, sending: { readonly tries?: number }): OperationHandler {
  return {
    ...answeredValue('lock', answeredLock),
    async send({ call, change, id }, { send, reader, notice }) {
      const lookUp = async () => {
        const now = await readLock(id, reader);
        return now?.locked === locks ? { document: now.document } : undefined;
      };
      try {
        return await send(call, { ...sending, lookUp });
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        if (isStatePending(error)) throw withHint(error, statePending);
        if (error.status !== 409) throw error;
        const now = await readConflict(id, reader, error.errors);
        if (now?.locked !== locks) throw withHint(error, locks ? tryAgain : askHolder, now?.lockDetails);
        notice(alreadyDone(change, locks ? 'locked' : 'unlocked'));
        return now.document;
      }
    },
  };
}

const statePending = 'check its state versions and unlock it later: its newest state is still being saved';
const tryAgain = 'run `attune workspace show` to see its lock';
const askHolder =
  'ask the holder to unlock it, or run `attune workspace unlock --force`, which requires admin access';

function answeredLock({ data }: Document): { readonly locked: boolean } | undefined {
  const locked = asResourceObject(data)?.attributes.locked;
  return typeof locked === 'boolean' ? { locked } : undefined;
}
