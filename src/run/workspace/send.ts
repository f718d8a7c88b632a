import { sendLock, unlockTries } from '../../apply/operations/change-lock.ts';
import type { FoundWorkspace } from '../../live/find-workspaces.ts';
import { holderText } from '../../live/included.ts';
import { AttuneError } from '../../model/attune-error.ts';
import { sameValue } from '../../model/value.ts';
import type { WorkspaceAction, WorkspaceEntry } from '../../model/workspace-results.ts';
import type { ServiceClient } from '../../service/client.ts';
import { requestTo } from '../../service/endpoints.ts';
import { type Found, lockOf } from './find.ts';

/**
 * Acts on one workspace.
 *
 * @param reason of a lock
 * @returns the reason if there was nothing to do
 */
export function send(
  action: WorkspaceAction,
  found: FoundWorkspace,
  reason: string,
  client: ServiceClient,
): Promise<string | undefined> {
  switch (action) {
    case 'lock':
      return lock(found, reason, client);
    case 'unlock':
    case 'force-unlock':
      return unlock(found, action === 'force-unlock', client);
    default:
      return action satisfies never;
  }
}

/** @throws {AttuneError} if it is locked already: an existing lock does not protect the caller. */
async function lock(found: FoundWorkspace, reason: string, client: ServiceClient): Promise<undefined> {
  const present = lockOf(found);
  if (present.locked) throw alreadyLocked(present);
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

/** Unlocks a workspace; with force also one that another user has locked. */
async function unlock(
  found: FoundWorkspace,
  isForced: boolean,
  client: ServiceClient,
): Promise<string | undefined> {
  const { locked, by: holder } = lockOf(found);
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

/** @throws {AttuneError} if other workspaces are selected after the question, or the lock of one of them has changed. */
export function requireSame(before: Found, now: Found): void {
  const locks = new Map(now.map(({ resource: { id, attributes } }) => [id, attributes.lock]));
  const isSame = before.every(({ resource: { id, attributes } }) =>
    sameValue(locks.get(id), attributes.lock),
  );
  if (before.length === now.length && isSame) return;
  throw new AttuneError('the selected workspaces changed before the confirmation; no changes were made', {
    code: 'moved-on',
    hint: 'run again and review the new list',
  });
}

function alreadyLocked({ by: holder, reason }: WorkspaceEntry['lock']): AttuneError {
  const by = holder === undefined ? '' : ` by ${holderText(holder)}`;
  const why = reason === undefined ? '' : `; reason: ${reason}`;
  return new AttuneError(`it is locked already${by}${why}`, {
    code: 'already-locked',
    hint: 'wait until it is unlocked, or ask the holder',
  });
}
