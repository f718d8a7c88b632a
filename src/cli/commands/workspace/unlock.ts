import { defineCommand } from '../../command.ts';
import { switchFlag } from '../../flag.ts';
import { workspaceFlags, workspaceNames } from '../../flags.ts';

export const unlock = defineCommand({
  name: 'unlock',
  description: 'unlock workspaces',
  details:
    'Unlocks the workspaces that match the names and filters. Locks held by other users need --force and a confirmation.',
  arguments: workspaceNames,
  flags: {
    ...workspaceFlags,
    force: switchFlag('also remove locks held by other users; requires admin access'),
    yes: switchFlag('unlock without asking for confirmation'),
  },
  examples: ['attune workspace unlock network-prod', 'attune workspace unlock "app-*" --force --yes'],
  learnMore: 'docs/guides/workspaces.md',
  run: async ({ workspaces }, flags, session) => {
    const { actOnAll } = await import('../../workspace/act.ts');
    const { confirmWithYes, requireSame } = await import('../../workspace/confirm.ts');
    const { declaredLocks, reportDeclared } = await import('../../workspace/declared.ts');
    const { find, findSome, requireChoice } = await import('../../workspace/find.ts');
    const { openTarget } = await import('../../workspace/target.ts');
    const { sendWorkspaceUnlock } = await import('../../workspace/write.ts');

    const isForced = flags.force === true;
    const choice = requireChoice(workspaces, flags, 'unlock');
    await using target = await openTarget(session, flags);
    const found = await findSome(choice, target);
    reportDeclared(declaredLocks(found, target, 'unlocked'), target, session);
    if (isForced && choice.isOpen && !flags.yes) {
      await confirmWithYes(found, 'Force-unlock', session);
      requireSame(found, await find(choice, target));
    }
    const { client } = target.connection;
    const action = isForced ? 'force-unlock' : 'unlock';
    return await actOnAll(
      found,
      action,
      (one) => sendWorkspaceUnlock(one, isForced, client),
      target,
      session,
    );
  },
});
