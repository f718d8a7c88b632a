import type { WriteRequest } from '../model/plan.ts';
import type { ServiceReader } from '../service/client.ts';
import type { Document } from '../service/documents.ts';
import { ServiceError } from '../service/service-error.ts';
import type { Sender } from './operations/operation.ts';
import { readConflict, readLock, type WorkspaceLock } from './workspace-conflict.ts';

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
    if (isStatePending(error)) throw new ServiceError(error, error.status, error.errors, statePending);
    if (error.status !== 409) throw error;
    const now = await readConflict(workspace, reader, error.errors);
    if (now && isAsGood(now)) return { document: now.document, wasDone: true };
    throw new ServiceError(error, error.status, [...error.errors, ...(now?.lockDetails ?? [])], hint);
  }
}

const statePending = 'check its state versions and unlock it later: its newest state is still being saved';

function isStatePending({ status, errors }: ServiceError): boolean {
  return status === 503 && errors.some(({ detail }) => /state version/i.test(detail ?? ''));
}
