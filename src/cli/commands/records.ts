import type { Command } from 'commander';
import { addImportFlags, addOutputFlags, addServiceFlags, addSnapshotFlags } from '../flags.ts';
import { addAppFlag, type CommandHost, fileCommand, withExamples } from './host.ts';

/** What is kept in a file of its own: the live state as files or as a snapshot, saved plans, journals. */
export function addRecordCommands(program: Command, { io, exit }: CommandHost): void {
  withExamples(
    addImportFlags(
      program
        .command('import')
        .description('write YAML for what is live, so that the next plan is empty')
        .argument('[file]', 'a root file that tells the organization and the service (default: attune.yaml)'),
    ),
    'attune import --organization acme --address https://iac.example.com',
    'attune import --organization acme --project "Payments Platform" --out payments',
    'attune import --update',
  ).action(async (file, flags) =>
    exit(await (await import('../import/import.ts')).importLive(file === undefined ? [] : [file], flags, io)),
  );

  withExamples(
    addSnapshotFlags(
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

  withExamples(
    addServiceFlags(
      addAppFlag(
        program
          .command('undo')
          .description('plan the way back from a journal, show the plan, ask, and go it')
          .argument('<journal>', 'what `attune apply --journal` wrote')
          .argument(
            '[files...]',
            'files that tell how to reach the service (default: attune.yaml, if there is one)',
          ),
      ),
    )
      .option('--out <file>', 'save the plan instead of applying it, for `attune undo --plan`')
      .option(
        '--plan <file>',
        'plan the changes of this saved plan again and apply them; refuse if they differ',
      )
      .option('--detailed-exitcode', 'only plan, and exit with 2 where there is something to undo')
      .option('--journal <file>', 'write a journal of this run too, to undo the undo')
      .option('--force', 'delete workspaces that the run created without the check for managed resources')
      .option('--yes', 'do not ask'),
    'attune undo today.ndjson',
    'attune undo today.ndjson --only "workspace.*-prod" --yes',
    'attune undo today.ndjson --out back.json',
    'attune undo today.ndjson --plan back.json',
  ).action(async (file, files, flags) =>
    exit(await (await import('../undo.ts')).undo(file, files, flags, io)),
  );
}
