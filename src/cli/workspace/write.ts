import { deletionChanges, factsOf } from '../../apply/changed-since-plan.ts';
import { presentFacts } from '../../apply/present-facts.ts';
import { sendDelete } from '../../apply/send-delete.ts';
import { sendLock, unlockTries } from '../../apply/send-lock.ts';
import type { FoundWorkspace } from '../../live/find-workspaces.ts';
import { holderText, type LockHolder, lockHolder } from '../../live/lock-holder.ts';
import { AttuneError } from '../../model/attune-error.ts';
import type { Dialect } from '../../model/dialect.ts';
import type { DeleteMode } from '../../model/state.ts';
import { isRecord } from '../../model/value.ts';
import { deletionFacts, type Facts } from '../../plan/facts.ts';
import { deleteEndpoints } from '../../plan/operation-endpoints.ts';
import type { ServiceClient } from '../../service/client.ts';
import type { Clock } from '../../service/clock.ts';
import { requestTo } from '../../service/endpoints.ts';

/** Locks a workspace. @throws {AttuneError} if it is locked already: an existing lock does not protect the caller. */
export async function sendWorkspaceLock(
  found: FoundWorkspace,
  reason: string,
  client: ServiceClient,
): Promise<undefined> {
  const lock = lockOf(found);
  if (lock.locked) throw alreadyLocked(lock);
  const { id = '' } = found.resource;
  await sendLock(requestTo('lockWorkspace', { workspace: id }, { reason }), {
    workspace: id,
    send: client.send,
    reader: client,
    tookEffect: (now) => now.locked && (now.reason ?? '') === reason,
    isAsGood: () => false,
    hint: 'wait until it is unlocked, or ask the holder',
  });
}

const nothingToDo = 'it was not locked';

/**
 * Unlocks a workspace; with force also one that another user has locked.
 *
 * @returns the reason if there was nothing to do
 */
export async function sendWorkspaceUnlock(
  found: FoundWorkspace,
  isForced: boolean,
  client: ServiceClient,
): Promise<string | undefined> {
  const { locked, holder } = lockOf(found);
  if (!locked) return nothingToDo;
  const { id = '' } = found.resource;
  const { wasDone } = await sendLock(
    requestTo(isForced ? 'forceUnlockWorkspace' : 'unlockWorkspace', { workspace: id }),
    {
      workspace: id,
      send: client.send,
      reader: client,
      ...(!isForced && { tries: unlockTries }),
      tookEffect: (now) => !now.locked,
      isAsGood: (now) => !now.locked,
      hint: isForced
        ? 'run `attune workspace show` to see its lock'
        : `${holder?.type === 'run' ? 'wait for the run to end' : 'ask the holder to unlock it'}, or add --force, which requires admin access`,
    },
  );
  return wasDone ? nothingToDo : undefined;
}

/** How to choose the other delete mode. */
const words = { force: 'add --force', safe: 'remove --force' };

/**
 * Deletes a workspace; with force also one that manages resources.
 *
 * @throws {AttuneError} if it has changed since it was found, so that a guard or the user might have kept it.
 */
export async function sendWorkspaceDelete(
  found: FoundWorkspace,
  isForced: boolean,
  {
    client,
    clock,
    dialect,
  }: { readonly client: ServiceClient; readonly clock: Clock; readonly dialect: Dialect },
): Promise<undefined> {
  const mode = isForced ? 'force' : 'safe';
  const { id = '', address } = found.resource;
  const facts = factsToDelete(found, mode);
  const present = await presentFacts(id, facts, { reader: client, dialect });
  if (present === undefined) return;
  const changes = deletionChanges(facts, present.now);
  if (changes.length > 0)
    throw new AttuneError(`${address} changed after it was selected: ${changes.join('; ')}`, {
      code: 'moved-on',
      hint: 'run again and review the new list',
    });
  const request = requestTo(deleteEndpoints[mode], { workspace: id });
  await sendDelete(request, { workspace: id, mode, send: client.send, reader: client, clock, words });
}

/** What the deletion of a workspace depends on: what the guards and the user have seen. */
export function factsToDelete({ resource }: FoundWorkspace, mode: DeleteMode): Facts {
  const resources = resource.attributes['resource-count'];
  return factsOf({ facts: deletionFacts(resource), mode, ...(resources !== undefined && { resources }) });
}

/** The lock of a workspace as read. */
export interface ReadLock {
  readonly locked: boolean;
  readonly holder?: LockHolder;
  readonly reason?: string;
}

export function lockOf({ resource, document, included }: FoundWorkspace): ReadLock {
  const { lock } = resource.attributes;
  const { locked, reason } = isRecord(lock) ? lock : {};
  const holder = lockHolder(document, included);
  return {
    locked: locked === true,
    ...(holder && { holder }),
    ...(typeof reason === 'string' && { reason }),
  };
}

function alreadyLocked({ holder, reason }: ReadLock): AttuneError {
  const by = holder === undefined ? '' : ` by ${holderText(holder)}`;
  const why = reason === undefined ? '' : `; reason: ${reason}`;
  return new AttuneError(`it is locked already${by}${why}`, {
    code: 'already-locked',
    hint: 'wait until it is unlocked, or ask the holder',
  });
}
