import { readPackageFile } from '../../model/package-files.ts';
import { defineCommand } from '../command.ts';
import { requiredArgument } from '../flag.ts';

export default defineCommand({
  details:
    'Prints a script that completes commands, flags and the names of workspaces in your shell. Load it in the start-up file of the shell.',
  arguments: { shell: requiredArgument('shell', ['bash', 'zsh', 'fish']) },
  flags: {},
  examples: [
    'source <(attune completion bash)',
    'source <(attune completion zsh)',
    'attune completion fish > ~/.config/fish/completions/attune.fish',
  ],
  learnMore: 'docs/installation.md',
  run: async ({ shell }, _flags, { io }) => {
    io.stdout.write(readPackageFile(`completions/attune.${shell}`));
    return 0;
  },
});
