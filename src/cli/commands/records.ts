import type { Command } from 'commander';
import { addImportFlags, addOutputFlags, addServiceFlags } from '../flags.ts';
import { type CommandHost, fileCommand, withExamples } from './host.ts';

/** What is kept in a file of its own: the live state as files or as a snapshot, saved plans. */
export function addRecordCommands(program: Command, { io, exit }: CommandHost): void {
  withExamples(
    addImportFlags(
      addServiceFlags(
        program
          .command('import')
          .description('write YAML for what is live, so that the next plan is empty')
          .argument(
            '[file]',
            'a root file that tells the organization and the service (default: attune.yaml)',
          ),
      ),
    ),
    'attune import --organization acme --address https://iac.example.com',
    'attune import --organization acme --project "Payments Platform" --out payments',
    'attune import --update',
  ).action(async (file, flags) =>
    exit(await (await import('../import.ts')).importLive(file === undefined ? [] : [file], flags, io)),
  );

  withExamples(
    addServiceFlags(
      fileCommand(program, 'snapshot', 'record the live state, for plans without a token'),
    ).option('--out <file>', 'where to (default: stdout)'),
    'attune snapshot --out live.json',
    'attune plan --snapshot live.json',
  ).action(async (files, flags) => exit(await (await import('../snapshot.ts')).snapshot(files, flags, io)));

  withExamples(
    addOutputFlags(
      program
        .command('show')
        .description('render a saved plan in any format')
        .argument('<file>', 'what `attune plan --out` made'),
    ),
    'attune show plan.json',
    'attune show plan.json --format html > plan.html',
  ).action(async (file, flags) => exit(await (await import('../show.ts')).show(file, flags, io)));
}
