import { sendLock, unlockTries } from '../../apply/send-lock.ts';
import { requestTo } from '../../service/endpoints.ts';
import type { WorkspaceFlags } from '../flags.ts';
import type { Io } from '../io.ts';
import { act } from './act.ts';
import { confirmWithYes } from './confirm.ts';
import { lockOf } from './lock-of.ts';
import { declaredLocks } from './objections.ts';

export interface UnlockFlags extends WorkspaceFlags {
  readonly force?: boolean;
  readonly yes?: boolean;
}

const nothingToDo = 'it was not locked';

/** Unlocks workspaces; by force also those that somebody else holds. One that is not locked is done. */
export function unlockWorkspaces(names: readonly string[], flags: UnlockFlags, io: Io): Promise<number> {
  const isForced = flags.force === true;
  return act(names, flags, io, {
    command: 'unlock',
    action: isForced ? 'force-unlock' : 'unlock',
    check: (found, target) => declaredLocks(found, target, 'unlocked'),
    confirm: async (found, choice, session) => {
      if (!isForced || !choice.isOpen || flags.yes) return 'not-asked';
      await confirmWithYes(found, 'Force open the locks of', session);
      return 'asked';
    },
    send: async (found, { connection: { client } }) => {
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
            ? 'look at it with `attune workspace show`'
            : `${holder?.type === 'run' ? 'wait for the run to end' : 'ask the holder to unlock it'}, or give --force, which needs admin access`,
        },
      );
      return wasDone ? nothingToDo : undefined;
    },
  });
}
