import { withoutSafeDelete } from '../model/deletion.ts';
import type { WriteRequest } from '../model/plan.ts';
import type { DeleteMode } from '../model/state.ts';
import { isMissingEndpoint } from '../service/capabilities.ts';
import type { ServiceReader } from '../service/client.ts';
import type { Clock } from '../service/clock.ts';
import type { Document } from '../service/documents.ts';
import { pathTo } from '../service/endpoints.ts';
import { ServiceError } from '../service/service-error.ts';
import type { Sender } from './operations/operation.ts';
import { isGone } from './read-if-there.ts';
import { readConflict } from './workspace-conflict.ts';

/** Delays in milliseconds between retries while the service processes the workspace's newest state. */
const processingWaits = [2000, 4000, 8000, 16_000, 30_000, 30_000];

export interface SendDeleteOptions<Request extends WriteRequest> {
  /** The id of the workspace. */
  readonly workspace: string;
  readonly mode: DeleteMode;
  readonly send: Sender<Request>;
  readonly reader: ServiceReader;
  readonly clock: Clock;
  /** How the user requests the other mode. */
  readonly words: { readonly force: string; readonly safe: string };
}

/**
 * Deletes a workspace. After a lost answer the workspace is read; if it does not exist, the delete succeeded. While the
 * service processes its newest state, a safe delete is retried.
 *
 * @throws {ServiceError | NetworkError}
 */
export async function sendDelete<Request extends WriteRequest>(
  request: Request,
  { workspace, mode, send, reader, clock, words }: SendDeleteOptions<Request>,
): Promise<Document | undefined> {
  const path = pathTo('showWorkspace', { workspace });
  const gone = async () => ((await isGone(path, reader)) ? {} : undefined);
  const isSafe = mode === 'safe';
  const { capabilities } = reader;
  if (isSafe) requireSafeDelete(request, reader, words);
  for (const wait of [...processingWaits, undefined]) {
    try {
      const answer = await send(request, { lookUp: gone });
      if (isSafe && !capabilities.lacks('safe-delete')) capabilities.recordOffered('safe-delete');
      return answer;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.status === 404 && (await gone())) return undefined;
      if (isSafe && isMissingEndpoint(error)) {
        capabilities.recordMissing('safe-delete', error);
        throw noSafeDelete(request, words.force, error.status);
      }
      if (error.status === 403 && !isSafe) {
        const hint = `only organization owners may force delete by default; ${words.safe}`;
        throw new ServiceError(error, error.status, error.errors, hint);
      }
      if (error.status !== 409) throw error;
      if (wait === undefined || !matches(error, /being processed/i)) {
        throw await explained(error, workspace, reader, words.force);
      }
      await clock.sleep(wait);
    }
  }
  return undefined;
}

/** @throws {ServiceError} if an earlier answer has shown that the service does not offer safe delete. */
export function requireSafeDelete(
  request: WriteRequest,
  { capabilities }: Pick<ServiceReader, 'capabilities'>,
  { force }: { readonly force: string },
): void {
  if (capabilities.lacks('safe-delete')) throw noSafeDelete(request, force);
}

function noSafeDelete(request: WriteRequest, force: string, status = 404): ServiceError {
  return new ServiceError(
    request,
    status,
    [{ detail: 'this service does not offer safe delete' }],
    withoutSafeDelete(force),
  );
}

/** Only the text of a conflict shows its reason, and it names neither the lock's holder nor the number of resources. */
async function explained(
  error: ServiceError,
  workspace: string,
  reader: ServiceReader,
  force: string,
): Promise<ServiceError> {
  const { errors, status } = error;
  if (matches(error, /being processed/i)) {
    const hint = 'run again in a few minutes: the service is still processing its newest state';
    return new ServiceError(error, status, errors, hint);
  }
  const now = await readConflict(workspace, reader, errors);
  if (matches(error, /locked/i))
    return new ServiceError(error, status, [...errors, ...(now?.lockDetails ?? [])], 'unlock it first');
  const hint = `destroy its resources first, or ${force} to delete it with its resources unmanaged`;
  return new ServiceError(error, status, [...errors, ...(now?.resourceDetails ?? [])], hint);
}

function matches({ errors }: ServiceError, words: RegExp): boolean {
  return errors.some(({ detail }) => words.test(detail ?? ''));
}
