import { readPackageFile } from '../../model/package-files.ts';
import { type CliCommand, defineCommand } from '../command.ts';
import { requiredArgument } from '../flag.ts';

const script = defineCommand({
  name: 'completion',
  description: 'print a shell completion script',
  details:
    'Prints a script that completes commands, flags and the names of workspaces in your shell. Load it in the start-up file of the shell.',
  arguments: { shell: requiredArgument('shell', ['bash', 'zsh', 'fish']) },
  flags: {},
  examples: [
    'source <(attune completion bash)',
    'source <(attune completion zsh)',
    'attune completion fish > ~/.config/fish/completions/attune.fish',
  ],
  learnMore: 'README.md',
  run: async ({ shell }, _flags, { io }) => {
    io.stdout.write(readPackageFile(`completions/attune.${shell}`));
    return 0;
  },
});

/** The scripts, and the hidden command that they call each time the user asks for completion. */
export const completion: CliCommand = {
  name: script.name,
  addTo: (program, host) => {
    script.addTo(program, host);
    program
      .command('__complete', { hidden: true })
      .argument('[words...]')
      .action(async (words: readonly string[]) => {
        const { complete } = await import('../completion/complete.ts');
        host.io.stdout.write(await complete(program, words, host.io.cwd));
        host.exit(0);
      });
  },
};
