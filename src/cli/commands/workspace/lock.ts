import { defineCommand } from '../../command.ts';
import { textFlag } from '../../flag.ts';
import { workspaceFlags, workspaceNames } from '../../flags.ts';

export const lock = defineCommand({
  name: 'lock',
  description: 'lock workspaces to prevent new runs',
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
    const { actOnAll } = await import('../../workspace/act.ts');
    const { declaredLocks, reportDeclared } = await import('../../workspace/declared.ts');
    const { findSome, requireChoice } = await import('../../workspace/find.ts');
    const { openTarget } = await import('../../workspace/target.ts');
    const { sendWorkspaceLock } = await import('../../workspace/write.ts');

    const { reason = '' } = flags;
    const choice = requireChoice(workspaces, flags, 'lock');
    await using target = await openTarget(session, flags);
    const found = await findSome(choice, target);
    reportDeclared(declaredLocks(found, target, 'locked'), target, session);
    const { client } = target.connection;
    return await actOnAll(found, 'lock', (one) => sendWorkspaceLock(one, reason, client), target, session);
  },
});
