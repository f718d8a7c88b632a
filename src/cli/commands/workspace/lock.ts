import { defineCommand } from '../../command.ts';
import { textFlag } from '../../flag.ts';
import { workspaceFlags, workspaceNames } from '../../flags.ts';
import { actOnAll } from '../../workspace/act.ts';
import { declaredLocks, reportDeclared } from '../../workspace/declared.ts';
import { findSome, requireChoice } from '../../workspace/find.ts';
import { openTarget } from '../../workspace/target.ts';
import { sendWorkspaceLock } from '../../workspace/write.ts';

export const lock = defineCommand({
  details:
    'Locks the workspaces that match the names and filters. A locked workspace starts no new run until it is unlocked.',
  arguments: workspaceNames,
  flags: { ...workspaceFlags, reason: textFlag('text', 'reason that is shown to other users') },
  examples: [
    'attune workspace lock network-prod --reason "change freeze"',
    'attune workspace lock --tag prod --reason "moving the state"',
  ],
  learnMore: 'docs/guides/workspaces.md',
  run: async ({ workspaces }, flags, session) => {
    const { reason = '' } = flags;
    const choice = requireChoice(workspaces, flags, 'lock');
    await using target = await openTarget(session, flags);
    const found = await findSome(choice, target);
    reportDeclared(declaredLocks(found, target, 'locked'), target, session);
    const { client } = target.connection;
    return await actOnAll(found, 'lock', (one) => sendWorkspaceLock(one, reason, client), target, session);
  },
});
