import { readRetentionPolicy } from '../live/workspace-details.ts';
import type { Call } from '../model/plan.ts';
import type { ServiceClient } from '../service/client.ts';
import type { Document } from '../service/documents.ts';
import { pathTo } from '../service/endpoints.ts';
import { isNotFound, ServiceError } from '../service/service-error.ts';
import { changeLock } from './change-lock.ts';
import { createWorkspace } from './create-workspace.ts';
import { deleteWorkspace } from './delete-workspace.ts';
import { lookAgain } from './look-again.ts';
import { createdGrant, isGone } from './lost-answer.ts';
import type { PreparedCall, SendContext } from './prepared-call.ts';
import { writeConsumers } from './write-consumers.ts';
import { writeTags } from './write-tags.ts';

/**
 * Sends one call with what is particular to its kind: how a lost answer is looked up, what is read again before, what
 * an answer other than success means. Resolves with the document of the answer, where there is one.
 *
 * @throws {ServiceError | NetworkError | AttuneError} where the call failed; then it had no effect that is known of.
 */
export async function sendCall(prepared: PreparedCall, context: SendContext): Promise<Document | undefined> {
  const { kind, call } = prepared;
  const { client } = context;
  await lookAgain(prepared, context);
  switch (kind) {
    case 'create-workspace':
      return createWorkspace(call, context);
    case 'create-grant':
      return client.send(call, { lookUp: () => createdGrant(call, client) });
    case 'update-workspace':
    case 'update-grant':
    case 'ssh-key':
      return client.send(call, { repeatable: true });
    case 'data-retention':
      return call.method === 'DELETE' ? deletePolicy(call, client) : client.send(call, { repeatable: true });
    case 'tags':
      return writeTags(call, context);
    case 'consumers':
      return writeConsumers(prepared, context);
    case 'lock':
    case 'unlock':
      return changeLock(prepared, context);
    case 'delete-grant':
      return deleteGrant(call, client);
    case 'delete-workspace':
      return deleteWorkspace(prepared, context);
    default:
      return kind satisfies never;
  }
}

async function deleteGrant(call: Call, client: ServiceClient): Promise<Document | undefined> {
  const gone = async () => ((await isGone(call.path, client)) ? {} : undefined);
  try {
    return await client.send(call, { lookUp: gone });
  } catch (error) {
    // Gone for a delete is done; still there and yet "not found" means that the token may not.
    if (error instanceof ServiceError && error.status === 404 && (await gone())) return undefined;
    throw error;
  }
}

/** A policy that is gone is answered with 404, and so is a workspace that this token may not change. */
async function deletePolicy(call: Call, client: ServiceClient): Promise<Document | undefined> {
  try {
    return await client.send(call, { repeatable: true });
  } catch (error) {
    const [, , workspace = ''] = call.path.split('/');
    if (!isNotFound(error) || (await isGone(pathTo('showWorkspace', { workspace }), client))) throw error;
    if ((await readRetentionPolicy(client, workspace)) !== null) throw error;
    return undefined;
  }
}
