import { defineCommand } from '../../command.ts';
import { switchFlag, textFlag } from '../../flag.ts';
import { workspaceFlags, workspaceNames } from '../../flags.ts';
import { actOnAll } from '../../workspace/act.ts';
import { confirmWithYes, requireSame } from '../../workspace/confirm.ts';
import { declaredLocks, reportDeclared } from '../../workspace/declared.ts';
import { choiceOf, find, findSome, requireChoice } from '../../workspace/find.ts';
import { byLockReason, reportUnlocked } from '../../workspace/lock-reason.ts';
import { openTarget } from '../../workspace/target.ts';
import { sendWorkspaceUnlock } from '../../workspace/write.ts';

export const unlock = defineCommand({
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
