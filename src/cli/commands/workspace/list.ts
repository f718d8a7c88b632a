import { defineCommand } from '../../command.ts';
import { workspaceFlags, workspaceNames } from '../../flags.ts';
import { choiceOf, find } from '../../workspace/find.ts';
import { printList } from '../../workspace/print.ts';
import { openTarget } from '../../workspace/target.ts';

export const list = defineCommand({
  details: 'Lists the workspaces that match the names and filters, or all workspaces of the organization.',
  arguments: workspaceNames,
  flags: workspaceFlags,
  examples: [
    'attune workspace list',
    'attune workspace list "*-prod" --project payments',
    'attune workspace list --tag prod --format json',
    'attune workspace list | cut -f 1',
  ],
  learnMore: 'docs/guides/workspaces.md',
  run: async ({ workspaces }, flags, session) => {
    await using target = await openTarget(session, flags);
    session.progress.begin(`${target.organization}: reading`);
    const found = await find(choiceOf(workspaces, flags), target);
    session.progress.end();
    printList(found, target, session);
    return 0;
  },
});
