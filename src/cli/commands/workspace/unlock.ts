import { defineCommand } from '../../command.ts';
import { switchFlag, textFlag } from '../../flag.ts';
import { workspaceFlags, workspaceNames } from '../../flags.ts';

export const unlock = defineCommand({
  name: 'unlock',
  description: 'unlock workspaces',
  details:
    'Unlocks the workspaces that match the names and filters. Locks of other users need --force, which asks for confirmation if a pattern or a filter selects the workspaces.',
  arguments: workspaceNames,
  flags: {
    ...workspaceFlags,
    reason: textFlag('text', 'unlock only workspaces that are locked with exactly this reason'),
    force: switchFlag('also remove locks held by other users; requires admin access'),
    yes: switchFlag('unlock without asking for confirmation'),
  },
  examples: [
    'attune workspace unlock network-prod',
    'attune workspace unlock --reason "freeze 42"',
    'attune workspace unlock "app-*" --force --yes',
  ],
  learnMore: 'docs/guides/workspaces.md',
  run: async ({ workspaces }, flags, session) => {
    const { actOnAll } = await import('../../workspace/act.ts');
    const { confirmWithYes, requireSame } = await import('../../workspace/confirm.ts');
    const { declaredLocks, reportDeclared } = await import('../../workspace/declared.ts');
    const { choiceOf, find, findSome, requireChoice } = await import('../../workspace/find.ts');
    const { byLockReason, reportUnlocked } = await import('../../workspace/lock-reason.ts');
    const { openTarget } = await import('../../workspace/target.ts');
    const { sendWorkspaceUnlock } = await import('../../workspace/write.ts');

    const isForced = flags.force === true;
    const { reason } = flags;
    // A reason chooses among all workspaces.
    const choice =
      reason === undefined ? requireChoice(workspaces, flags, 'unlock') : choiceOf(workspaces, flags);
    const isOpen = choice.isOpen || choice.names.length === 0;
    await using target = await openTarget(session, flags);
    const { chosen: found, left, unlocked } = byLockReason(await findSome(choice, target), reason, isOpen);
    reportDeclared(declaredLocks(found, target, 'unlocked'), target, session);
    if (isForced && isOpen && found.length > 0 && !flags.yes) {
      await confirmWithYes(found, 'Force-unlock', session);
      requireSame(found, byLockReason(await find(choice, target), reason, isOpen).chosen, 'safe');
    }
    if (reason !== undefined) reportUnlocked(found, unlocked, reason, session);
    const { client } = target.connection;
    const action = isForced ? 'force-unlock' : 'unlock';
    return await actOnAll(
      found,
      action,
      (one) => sendWorkspaceUnlock(one, isForced, client),
      target,
      session,
      left,
    );
  },
});
