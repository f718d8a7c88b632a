import { deletionChanges, factsOf } from '../../apply/changed-since-plan.ts';
import { sendLock, unlockTries } from '../../apply/operations/change-lock.ts';
import { sendDelete } from '../../apply/operations/delete-workspace.ts';
import { presentFacts } from '../../apply/present-values.ts';
import type { FoundWorkspace } from '../../live/find-workspaces.ts';
import { holderText } from '../../live/included.ts';
import { AttuneError } from '../../model/attune-error.ts';
import type { DeleteMode } from '../../model/state.ts';
import type { WorkspaceAction, WorkspaceEntry } from '../../model/workspace-results.ts';
import { deletionFacts, type Facts } from '../../plan/facts.ts';
import { deleteEndpoints } from '../../plan/operation-endpoints.ts';
import type { ServiceClient } from '../../service/client.ts';
import type { Clock } from '../../service/clock.ts';
import { requestTo } from '../../service/endpoints.ts';
import { type Found, lockOf } from './find.ts';
import { dialectOfFound, type Target } from './open-target.ts';

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
  { target, clock }: SendContext,
): Promise<string | undefined> {
  const { client } = target.connection;
  switch (action) {
    case 'lock':
      return lock(found, reason, client);
    case 'unlock':
    case 'force-unlock':
      return unlock(found, action === 'force-unlock', client);
    case 'safe-delete':
    case 'force-delete':
      return deleteFound(found, action === 'force-delete' ? 'force' : 'safe', { target, clock });
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

/** How to choose the other delete mode. */
const words = { force: 'add --force', safe: 'remove --force' };

interface SendContext {
  readonly target: Target;
  readonly clock: Clock;
}

/** @throws {AttuneError} if it has changed since it was found, so that a guard or the user might have kept it. */
async function deleteFound(
  found: FoundWorkspace,
  mode: DeleteMode,
  { target, clock }: SendContext,
): Promise<undefined> {
  const { client } = target.connection;
  const { id = '', address } = found.resource;
  const facts = factsToDelete(found, mode);
  const present = await presentFacts(id, facts, { reader: client, dialect: dialectOfFound(found, target) });
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

/** @throws {AttuneError} if other workspaces are selected after the question, or one of them has changed. */
export function requireSame(before: Found, now: Found, mode: DeleteMode): void {
  const byId = new Map(now.map(({ resource: { id, name, attributes } }) => [id, { ...attributes, name }]));
  const isSame = (one: FoundWorkspace) => {
    const values = byId.get(one.resource.id);
    return values !== undefined && deletionChanges(factsToDelete(one, mode), values).length === 0;
  };
  if (before.length === now.length && before.every(isSame)) return;
  throw new AttuneError('the selected workspaces changed before the confirmation; no changes were made', {
    code: 'moved-on',
    hint: 'run again and review the new list',
  });
}

/** What the deletion of a workspace depends on: what the guards and the user have seen. */
function factsToDelete({ resource }: FoundWorkspace, mode: DeleteMode): Facts {
  const resources = resource.attributes['resource-count'];
  return factsOf({ facts: deletionFacts(resource), mode, ...(resources !== undefined && { resources }) });
}

function alreadyLocked({ by: holder, reason }: WorkspaceEntry['lock']): AttuneError {
  const by = holder === undefined ? '' : ` by ${holderText(holder)}`;
  const why = reason === undefined ? '' : `; reason: ${reason}`;
  return new AttuneError(`it is locked already${by}${why}`, {
    code: 'already-locked',
    hint: 'wait until it is unlocked, or ask the holder',
  });
}
