import { sendLock } from '../../apply/send-lock.ts';
import { holderText } from '../../live/lock-holder.ts';
import { AttuneError } from '../../model/attune-error.ts';
import { requestTo } from '../../service/endpoints.ts';
import type { WorkspaceFlags } from '../flags.ts';
import type { Io } from '../io.ts';
import { act } from './act.ts';
import { type Lock, lockOf } from './lock-of.ts';
import { declaredLocks } from './objections.ts';

export interface LockFlags extends WorkspaceFlags {
  readonly reason?: string;
}

/** Locks workspaces. One that is locked already stays its holder's: that is an error, as whoever locks wants the lock. */
export function lockWorkspaces(names: readonly string[], flags: LockFlags, io: Io): Promise<number> {
  const { reason = '' } = flags;
  return act(names, flags, io, {
    command: 'lock',
    action: 'lock',
    check: (found, target) => declaredLocks(found, target, 'locked'),
    send: async (found, { connection: { client } }) => {
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
      return undefined;
    },
  });
}

function alreadyLocked({ holder, reason }: Lock): AttuneError {
  const by = holder === undefined ? '' : ` by ${holderText(holder)}`;
  const why = reason === undefined ? '' : `; the reason given: ${reason}`;
  return new AttuneError(`it is locked already${by}${why}`, {
    code: 'already-locked',
    hint: 'wait until it is unlocked, or ask the holder',
  });
}
