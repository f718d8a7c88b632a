import { acceptLive } from '../accept.ts';
import { defineCommand } from '../command.ts';
import { listArgument, listFlag, switchFlag, textFlag } from '../flag.ts';
import { appFlag, connectionFlags, documentFlags } from '../flags.ts';

export default defineCommand({
  details:
    'Reads the live state and changes the lines that declare the accepted values, so that the next plan keeps them. Comments and style are kept. A value that a layer declares becomes a value of the workspace itself. Either all files are written or none.',
  arguments: {
    addresses: listArgument('addresses, such as workspace.network-prod; * matches any characters'),
  },
  flags: {
    ...documentFlags,
    ...appFlag,
    ...connectionFlags,
    all: switchFlag('accept every difference, and declare live workspaces in scope that no file declares'),
    field: listFlag('field', 'accept only this field, such as auto-apply (repeatable)'),
    dryRun: switchFlag('print the changes as a unified diff without writing them'),
    config: textFlag('file', 'root file (default: attune.yaml)'),
  },
  examples: [
    'attune accept workspace.network-prod',
    'attune accept workspace.network-prod --field auto-apply --field tags',
    'attune accept --all --dry-run',
  ],
  learnMore: 'docs/guides/accept.md',
  run: ({ addresses }, flags, session) => acceptLive(addresses, flags, session),
});
