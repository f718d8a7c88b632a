import { defineGroup } from '../../command.ts';
import { deleteCommand } from './delete.ts';
import { list } from './list.ts';
import { lock } from './lock.ts';
import { showWorkspaces } from './show.ts';
import { unlock } from './unlock.ts';

export const workspace = defineGroup({
  name: 'workspace',
  description: 'list, show, lock, unlock or delete live workspaces',
  examples: [
    'attune workspace list --tag prod',
    'attune workspace show network-prod',
    'attune workspace lock network-prod --reason "change freeze"',
    'attune workspace unlock network-prod',
    'attune workspace delete legacy',
  ],
  learnMore: 'docs/guides/workspaces.md',
  commands: [list, showWorkspaces, lock, unlock, deleteCommand],
});
