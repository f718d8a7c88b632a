import type { Call } from '../model/plan.ts';
import type { ServiceClient } from '../service/client.ts';
import type { Document } from '../service/documents.ts';
import { ServiceError } from '../service/service-error.ts';
import { lookAtConflict, lookAtLock, type Obstacle } from './workspace-conflict.ts';

/** An unlock waits for the newest state version to be finished (interface, section 3): half a minute by the backoff. */
const unlockTries = 9;

export interface SendLockOptions {
  readonly client: ServiceClient;
  /** Whether it took effect, by what is there after an answer was lost. */
  readonly tookEffect: (now: Obstacle) => boolean;
  /** Whether what stands in its way is as good, because somebody else has done the same. */
  readonly isAsGood: (now: Obstacle) => boolean;
  /** What the user can do about a conflict. */
  readonly hint: string;
}

/** What came of it, and whether it had come about without this call. */
export interface LockOutcome {
  readonly document?: Document;
  readonly wasDone: boolean;
}

/**
 * Sends a lock, an unlock or a forced unlock. A lost answer is looked up; a conflict tells who holds the lock.
 *
 * @throws {ServiceError | NetworkError}
 */
export async function sendLock(
  call: Call,
  { client, tookEffect, isAsGood, hint }: SendLockOptions,
): Promise<LockOutcome> {
  const workspace = call.path.replace(/\/actions\/[a-z-]+$/, '');
  try {
    const document = await client.send(call, {
      ...(call.path.endsWith('/unlock') && { tries: unlockTries }),
      lookUp: async () => {
        const now = await lookAtLock(workspace, client);
        return now && tookEffect(now) ? { document: now.document } : undefined;
      },
    });
    return { ...(document && { document }), wasDone: false };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (isStatePending(error)) throw new ServiceError(error, error.status, error.errors, statePending);
    if (error.status !== 409) throw error;
    const now = await lookAtConflict(workspace, client, error.errors);
    if (now && isAsGood(now)) return { document: now.document, wasDone: true };
    throw new ServiceError(error, error.status, [...error.errors, ...(now?.lockDetails ?? [])], hint);
  }
}

const statePending = 'its newest state is still being saved; look at its state versions, and unlock it then';

function isStatePending({ status, errors }: ServiceError): boolean {
  return status === 503 && errors.some(({ detail }) => /state version/i.test(detail ?? ''));
}
