import { Argument, type Command } from 'commander';
import { type CommandHost, withExamples } from './host.ts';

export function addCompletionCommand(program: Command, { io, exit }: CommandHost): void {
  withExamples(
    program
      .command('completion')
      .description('print the script that makes a shell complete')
      .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish'])),
    'source <(attune completion bash)',
    'source <(attune completion zsh)',
    'attune completion fish > ~/.config/fish/completions/attune.fish',
  ).action(async (shell) => exit(await (await import('../completion/completion.ts')).completion(shell, io)));

  // What the scripts ask at each press of the key.
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action(async (words) =>
      exit(await (await import('../completion/completion.ts')).complete(program, words, io)),
    );
}
