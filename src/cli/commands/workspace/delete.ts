import { defineCommand } from '../../command.ts';
import { switchFlag } from '../../flag.ts';
import { workspaceFlags, workspaceNames } from '../../flags.ts';

export const deleteCommand = defineCommand({
  name: 'delete',
  description: 'delete workspaces that manage no resources',
  arguments: workspaceNames,
  flags: {
    ...workspaceFlags,
    force: switchFlag('also those that manage resources, which nobody manages then; asks for the name'),
    yes: switchFlag('do not ask'),
  },
  examples: [
    'attune workspace delete legacy',
    'attune workspace delete "tmp-*" --yes',
    'attune workspace delete legacy --force',
  ],
  run: async ({ workspaces }, flags, session) => {
    const { actOnAll } = await import('../../workspace/act.ts');
    const { confirmByName, confirmWithYes, requireSame } = await import('../../workspace/confirm.ts');
    const { declaredOrProtected, reportDeclared } = await import('../../workspace/declared.ts');
    const { find, findSome, requireChoice } = await import('../../workspace/find.ts');
    const { openTarget } = await import('../../workspace/target.ts');
    const { sendWorkspaceDelete } = await import('../../workspace/write.ts');

    const isForced = flags.force === true;
    const choice = requireChoice(workspaces, flags, 'delete');
    await using target = await openTarget(session, flags, { needsFiles: true });
    const found = await findSome(choice, target);
    reportDeclared(declaredOrProtected(found, target), target, session);
    if ((isForced || choice.isOpen) && !flags.yes) {
      await (isForced ? confirmByName(found, session) : confirmWithYes(found, 'Delete', session));
      requireSame(found, await find(choice, target));
    }
    const { client } = target.connection;
    const { clock } = session.io;
    const action = isForced ? 'force-delete' : 'safe-delete';
    const send = (one: (typeof found)[number]) => sendWorkspaceDelete(one, isForced, { client, clock });
    return await actOnAll(found, action, send, target, session);
  },
});
