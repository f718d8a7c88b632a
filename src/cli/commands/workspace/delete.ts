import { defineCommand } from '../../command.ts';
import { switchFlag } from '../../flag.ts';
import { workspaceFlags, workspaceNames } from '../../flags.ts';
import { actOnAll } from '../../workspace/act.ts';
import { confirmByName, confirmWithYes, requireSame } from '../../workspace/confirm.ts';
import { declaredOrProtected, dialectOfFound, guarded, reportDeclared } from '../../workspace/declared.ts';
import { find, findSome, requireChoice } from '../../workspace/find.ts';
import { openTarget } from '../../workspace/target.ts';
import { sendWorkspaceDelete } from '../../workspace/write.ts';

export const deleteCommand = defineCommand({
  details:
    'Deletes the workspaces that match the names and filters. Asks for confirmation if a pattern or a filter selects them. Workspaces that manage resources need --force. Protected workspaces are never deleted.',
  arguments: workspaceNames,
  flags: {
    ...workspaceFlags,
    force: switchFlag(
      'also delete workspaces that manage resources, which remain unmanaged; asks for each name',
    ),
    yes: switchFlag('delete without asking for confirmation'),
  },
  examples: [
    'attune workspace delete legacy',
    'attune workspace delete "tmp-*" --yes',
    'attune workspace delete legacy --force',
  ],
  learnMore: 'docs/guides/workspaces.md',
  run: async ({ workspaces }, flags, session) => {
    const isForced = flags.force === true;
    const choice = requireChoice(workspaces, flags, 'delete');
    await using target = await openTarget(session, flags, { needsFiles: true });
    // A guard that selects by key/value tags must not miss a workspace.
    const bindings = target.configuration.guards.protect.some(({ selector }) => selector.tagged);
    const found = await findSome(choice, target, { bindings });
    reportDeclared(
      [...(await guarded(found, target)), ...declaredOrProtected(found, target)],
      target,
      session,
    );
    if ((isForced || choice.isOpen) && !flags.yes) {
      await (isForced ? confirmByName(found, session) : confirmWithYes(found, 'Delete', session));
      requireSame(found, await find(choice, target, { bindings }), isForced ? 'force' : 'safe');
    }
    const { client } = target.connection;
    const { clock } = session.io;
    const action = isForced ? 'force-delete' : 'safe-delete';
    const send = (one: (typeof found)[number]) =>
      sendWorkspaceDelete(one, isForced, { client, clock, dialect: dialectOfFound(one, target) });
    return await actOnAll(found, action, send, target, session);
  },
});
