import type { Command } from 'commander';
import { addWorkspaceFlags } from '../flags.ts';
import { type CommandHost, withExamples } from './host.ts';

const yes = ['--yes', 'do not ask'] as const;

/** Day-to-day work on live workspaces that are named on the command line. */
export function addWorkspaceCommands(program: Command, { io, exit }: CommandHost): void {
  const group = program
    .command('workspace')
    .description('list, show, lock, unlock and delete live workspaces')
    .helpCommand(false);
  withExamples(
    group,
    'attune workspace list --tag prod',
    'attune workspace show network-prod',
    'attune workspace lock network-prod --reason "change freeze"',
    'attune workspace unlock network-prod',
    'attune workspace delete legacy',
  );
  const subcommand = (name: string, description: string, argument: string) =>
    addWorkspaceFlags(
      group.command(name).description(description).argument(argument, 'names; `*` stands for any characters'),
    );

  withExamples(
    subcommand('list', 'list workspaces: all of them, or those that are chosen', '[workspaces...]'),
    'attune workspace list',
    'attune workspace list "*-prod" --project payments',
    'attune workspace list --tag prod --format json',
    'attune workspace list | cut -f 1',
  ).action(async (names, flags) =>
    exit(await (await import('../workspace/list.ts')).listWorkspaces(names, flags, io)),
  );

  withExamples(
    subcommand('show', 'tell everything that can be read about workspaces', '[workspaces...]'),
    'attune workspace show network-prod',
    'attune workspace show network-prod --organization acme --address https://iac.example.com',
  ).action(async (names, flags) =>
    exit(await (await import('../workspace/show.ts')).showWorkspaces(names, flags, io)),
  );

  withExamples(
    subcommand('lock', 'lock workspaces, so that nobody else starts a run', '[workspaces...]').option(
      '--reason <text>',
      'why, for whoever meets the lock',
    ),
    'attune workspace lock network-prod --reason "change freeze"',
    'attune workspace lock --tag prod --reason "moving the state"',
  ).action(async (names, flags) =>
    exit(await (await import('../workspace/lock.ts')).lockWorkspaces(names, flags, io)),
  );

  withExamples(
    subcommand('unlock', 'unlock workspaces that you have locked, or others by force', '[workspaces...]')
      .option('--force', 'also what somebody else has locked; needs admin access')
      .option(...yes),
    'attune workspace unlock network-prod',
    'attune workspace unlock "app-*" --force --yes',
  ).action(async (names, flags) =>
    exit(await (await import('../workspace/unlock.ts')).unlockWorkspaces(names, flags, io)),
  );

  withExamples(
    subcommand('delete', 'delete workspaces that manage no resources', '[workspaces...]')
      .option('--force', 'also those that manage resources, which nobody manages then; asks for the name')
      .option(...yes),
    'attune workspace delete legacy',
    'attune workspace delete "tmp-*" --yes',
    'attune workspace delete legacy --force',
  ).action(async (names, flags) =>
    exit(await (await import('../workspace/delete.ts')).deleteWorkspaces(names, flags, io)),
  );
}
