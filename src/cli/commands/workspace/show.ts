import { defineCommand } from '../../command.ts';
import { workspaceFlags, workspaceNames } from '../../flags.ts';

export const showWorkspaces = defineCommand({
  name: 'show',
  description: 'show the settings, consumers and lock of workspaces',
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
    const { findSome, requireChoice } = await import('../../workspace/find.ts');
    const { printWhole } = await import('../../workspace/print.ts');
    const { openTarget } = await import('../../workspace/target.ts');

    const choice = requireChoice(workspaces, flags, 'show');
    await using target = await openTarget(session, flags);
    session.progress.begin(`${target.organization}: reading`);
    await printWhole(await findSome(choice, target, { bindings: true }), target, session);
    return 0;
  },
});
