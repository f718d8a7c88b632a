import { sendDelete } from '../../apply/send-delete.ts';
import { deleteEndpoints } from '../../plan/operation-endpoints.ts';
import { requestTo } from '../../service/endpoints.ts';
import type { WorkspaceFlags } from '../flags.ts';
import type { Io } from '../io.ts';
import { act } from './act.ts';
import { confirmByName, confirmWithYes } from './confirm.ts';
import { declaredOrProtected } from './objections.ts';

export interface DeleteFlags extends WorkspaceFlags {
  readonly force?: boolean;
  readonly yes?: boolean;
}

/** How this command asks for the other way to delete. */
const words = { force: 'give --force', safe: 'leave out --force' };

/** Deletes workspaces: those that manage no resources; by force also the others, whose resources nobody manages then. */
export function deleteWorkspaces(names: readonly string[], flags: DeleteFlags, io: Io): Promise<number> {
  const isForced = flags.force === true;
  return act(names, flags, io, {
    command: 'delete',
    action: isForced ? 'force-delete' : 'safe-delete',
    needsFiles: true,
    check: declaredOrProtected,
    confirm: async (found, choice, session) => {
      if (flags.yes || !(isForced || choice.isOpen)) return 'not-asked';
      await (isForced ? confirmByName(found, session) : confirmWithYes(found, 'Delete', session));
      return 'asked';
    },
    send: async ({ resource: { id = '' } }, { connection: { client } }, { clock }) => {
      const mode = isForced ? 'force' : 'safe';
      const request = requestTo(deleteEndpoints[mode], { workspace: id });
      await sendDelete(request, { workspace: id, mode, send: client.send, reader: client, clock, words });
      return undefined;
    },
  });
}
