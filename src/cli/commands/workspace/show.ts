import { defineCommand } from '../../command.ts';
import { workspaceFlags, workspaceNames } from '../../flags.ts';
import { findSome, requireChoice } from '../../workspace/find.ts';
import { printWhole } from '../../workspace/print.ts';
import { openTarget } from '../../workspace/target.ts';

export const showWorkspaces = defineCommand({
  details:
    'Shows attributes, tags, state consumers, lock and data retention of the selected workspaces, and whether they are declared.',
  arguments: workspaceNames,
  flags: workspaceFlags,
  examples: [
    'attune workspace show network-prod',
    'attune workspace show network-prod --organization acme --address https://iac.example.com',
  ],
  learnMore: 'docs/guides/workspaces.md',
  run: async ({ workspaces }, flags, session) => {
    const choice = requireChoice(workspaces, flags, 'show');
    await using target = await openTarget(session, flags);
    session.progress.begin(`${target.organization}: reading`);
    await printWhole(await findSome(choice, target, { bindings: true }), target, session);
    return 0;
  },
});
