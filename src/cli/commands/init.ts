import type { Command } from 'commander';
import { addInitFlags } from '../flags.ts';
import { type CommandHost, withExamples } from './host.ts';

/** A repository of files from nothing. */
export function addInitCommand(program: Command, { io, exit }: CommandHost): void {
  withExamples(
    addInitFlags(
      program
        .command('init')
        .description('scaffold a repository: the root file, .gitignore, recipes for CI')
        .argument('[dir]', 'the folder', '.'),
    ),
    'attune init',
    'attune init --yes',
    'attune init --organization acme --address https://iac.example.com --import --ci github',
  ).action(async (dir, flags) => exit(await (await import('../init/init.ts')).init(dir, flags, io)));
}
