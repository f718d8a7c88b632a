import { defineGroup } from '../../command.ts';
import { deleteCommand } from './delete.ts';
import { list } from './list.ts';
import { lock } from './lock.ts';
import { showWorkspaces } from './show.ts';
import { unlock } from './unlock.ts';

export default defineGroup({
  examples: [
    'attune workspace list --tag prod',
    'attune workspace show network-prod',
    'attune workspace lock network-prod --reason "change freeze"',
    'attune workspace unlock network-prod',
    'attune workspace delete legacy',
  ],
  learnMore: 'docs/guides/workspaces.md',
  commands: [
    { name: 'list', description: 'list workspaces', command: list },
    {
      name: 'show',
      description: 'show the settings, consumers and lock of workspaces',
      command: showWorkspaces,
    },
    { name: 'lock', description: 'lock workspaces to prevent new runs', command: lock },
    { name: 'unlock', description: 'unlock workspaces', command: unlock },
    { name: 'delete', description: 'delete workspaces that manage no resources', command: deleteCommand },
  ],
});
