import type { WriteRequest } from '../../model/plan.ts';
import type { ServiceReader } from '../../service/client.ts';
import { asResourceObject, type Document } from '../../service/documents.ts';
import { isStatePending, ServiceError, withHint } from '../../service/service-error.ts';
import { readConflict, readLock, type WorkspaceLock } from '../workspace-conflict.ts';
import { answeredValue } from './compare-answer.ts';
import { alreadyDone, type OperationHandler, type Sender } from './operation.ts';

export const lockWorkspace = changeLock(true);
export const unlockWorkspace = changeLock(false);

/**
 * Locks or unlocks a workspace as declared; it succeeds if another user has done so since the plan. If another user
 * holds the lock, the change fails and names that user: Attune never force-unlocks during an apply.
 */
function changeLock(locks: boolean): OperationHandler {
  return {
    ...answeredValue('lock', answeredLock),
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
      if (wasDone) notice(alreadyDone(change, locks ? 'locked' : 'unlocked'));
      return document;
    },
  };
}

function answeredLock({ data }: Document): { readonly locked: boolean } | undefined {
  const locked = asResourceObject(data)?.attributes.locked;
  return typeof locked === 'boolean' ? { locked } : undefined;
}

/** An unlock waits for the newest state version to be finished (interface, section 3): half a minute by the backoff. */
export const unlockTries = 9;

export interface SendLockOptions<Request extends WriteRequest> {
  /** The id of the workspace. */
  readonly workspace: string;
  readonly send: Sender<Request>;
  readonly reader: ServiceReader;
  /** Maximum number of tries. */
  readonly tries?: number;
  /** Whether the request took effect, by the lock that is read after a lost answer. */
  readonly tookEffect: (now: WorkspaceLock) => boolean;
  /** Whether a lock that causes a conflict has the requested state, because another user has made the same change. */
  readonly isAsGood: (now: WorkspaceLock) => boolean;
  /** What the user can do about a conflict. */
  readonly hint: string;
}

/** The answer, and whether the state was reached without this request. */
export interface LockOutcome {
  readonly document?: Document;
  readonly wasDone: boolean;
}

/**
 * Sends a lock, an unlock or a forced unlock. After a lost answer the workspace is read; a conflict reports the holder
 * of the lock.
 *
 * @throws {ServiceError | NetworkError}
 */
export async function sendLock<Request extends WriteRequest>(
  request: Request,
  { workspace, send, reader, tries, tookEffect, isAsGood, hint }: SendLockOptions<Request>,
): Promise<LockOutcome> {
  try {
    const document = await send(request, {
      ...(tries !== undefined && { tries }),
      lookUp: async () => {
        const now = await readLock(workspace, reader);
        return now && tookEffect(now) ? { document: now.document } : undefined;
      },
    });
    return { ...(document && { document }), wasDone: false };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (isStatePending(error)) throw withHint(error, statePending);
    if (error.status !== 409) throw error;
    const now = await readConflict(workspace, reader, error.errors);
    if (now && isAsGood(now)) return { document: now.document, wasDone: true };
    throw withHint(error, hint, now?.lockDetails);
  }
}

const statePending = 'check its state versions and unlock it later: its newest state is still being saved';
