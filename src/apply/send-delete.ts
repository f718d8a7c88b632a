import type { Call } from '../model/plan.ts';
import { isMissingEndpoint } from '../service/capabilities.ts';
import type { ServiceClient } from '../service/client.ts';
import type { Clock } from '../service/clock.ts';
import type { Document } from '../service/documents.ts';
import { ServiceError } from '../service/service-error.ts';
import { isGone } from './lost-answer.ts';
import { lookAtConflict } from './workspace-conflict.ts';

/** Waits between tries while the service still works on the workspace's newest state, in milliseconds. */
const processingWaits = [2000, 4000, 8000, 16_000, 30_000, 30_000];

export interface SendDeleteOptions {
  readonly client: ServiceClient;
  readonly clock: Clock;
  /** How whoever asked for it asks for the other way to delete. */
  readonly words: { readonly force: string; readonly safe: string };
}

/**
 * Deletes a workspace, safely or by force as the call says. A lost answer is looked up, and gone is done. While the
 * service still works on its newest state a safe delete is tried again.
 *
 * @throws {ServiceError | NetworkError}
 */
export async function sendDelete(
  call: Call,
  { client, clock, words }: SendDeleteOptions,
): Promise<Document | undefined> {
  const workspace = call.path.replace(/\/actions\/safe-delete$/, '');
  const gone = async () => ((await isGone(workspace, client)) ? {} : undefined);
  const isSafe = call.method === 'POST';
  if (isSafe && client.capabilities.lacks('safe-delete')) throw noSafeDelete(call, words.force);
  for (const wait of [...processingWaits, undefined]) {
    try {
      return await client.send(call, { lookUp: gone });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.status === 404 && (await gone())) return undefined;
      if (isSafe && isMissingEndpoint(error)) {
        client.capabilities.recordMissing('safe-delete');
        throw noSafeDelete(call, words.force, error.status);
      }
      if (error.status === 403 && call.method === 'DELETE') {
        const hint = `only organization owners may force delete by default; ${words.safe}`;
        throw new ServiceError(error, error.status, error.errors, hint);
      }
      if (error.status !== 409) throw error;
      if (wait === undefined || !says(error, /being processed/i)) {
        throw await explained(error, workspace, client, words.force);
      }
      await clock.sleep(wait);
    }
  }
  return undefined;
}

function noSafeDelete(call: Call, force: string, status = 404): ServiceError {
  return new ServiceError(call, status, [{ detail: 'this service does not offer safe delete' }], force);
}

/** A conflict has several reasons that only its text tells apart, and who or how many it does not tell. */
async function explained(
  error: ServiceError,
  workspace: string,
  client: ServiceClient,
  force: string,
): Promise<ServiceError> {
  const { errors, status } = error;
  if (says(error, /being processed/i)) {
    const hint = 'the service is still at work on its newest state; run again in a few minutes';
    return new ServiceError(error, status, errors, hint);
  }
  const now = await lookAtConflict(workspace, client, errors);
  if (says(error, /locked/i))
    return new ServiceError(error, status, [...errors, ...(now?.lockDetails ?? [])], 'unlock it first');
  const hint = `destroy its resources first, or ${force} to delete it all the same`;
  return new ServiceError(error, status, [...errors, ...(now?.resourceDetails ?? [])], hint);
}

function says({ errors }: ServiceError, words: RegExp): boolean {
  return errors.some(({ detail }) => words.test(detail ?? ''));
}
