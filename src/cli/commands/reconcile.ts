import type { Command } from 'commander';
import { addOutputFlags, addServiceFlags } from '../flags.ts';
import { type CommandHost, fileCommand, withExamples } from './host.ts';

/** From files to the service: validate, plan, apply, drift. */
export function addReconcileCommands(program: Command, { io, exit }: CommandHost): void {
  withExamples(
    addOutputFlags(fileCommand(program, 'validate', 'check the files, offline')),
    'attune validate',
    'attune validate environments/* --format json',
  ).action(async (files, flags) => exit(await (await import('../validate.ts')).validate(files, flags, io)));

  withExamples(
    addServiceFlags(fileCommand(program, 'plan', 'show what apply would do; never writes to the service'))
      .option('--out <file>', 'save the plan, for `attune apply --plan` and `attune show`')
      .option('--snapshot <file>', 'plan from what `attune snapshot` recorded: no service, no token')
      .option('--detailed-exitcode', 'exit with 2 where there are changes'),
    'attune plan',
    'attune plan --out plan.json --report plan.md',
    'attune plan --only "workspace.*-prod" --detailed-exitcode',
    'attune plan --app "node dist/main.js"',
  ).action(async (files, flags) => exit(await (await import('../plan.ts')).plan(files, flags, io)));

  withExamples(
    addServiceFlags(fileCommand(program, 'apply', 'plan, show the plan, ask, and make the changes'))
      .option(
        '--plan <file>',
        'plan the changes of this saved plan again and apply them; refuse if they differ',
      )
      .option('--trust-plan', 'with --plan, and without configuration files: send the calls of the plan file')
      .option('--journal <file>', 'write down each call and its outcome, for `attune undo`')
      .option('--yes', 'do not ask'),
    'attune apply',
    'attune apply --plan plan.json --yes',
    'attune apply --journal today.ndjson',
    'attune apply --yes --max-deletes 3 --format json',
  ).action(async (files, flags) =>
    exit(
      await (flags.plan === undefined
        ? (await import('../apply.ts')).apply(files, flags, io)
        : (await import('../apply-saved.ts')).applySaved(flags.plan, files, flags, io)),
    ),
  );

  withExamples(
    addServiceFlags(
      fileCommand(program, 'drift', 'report what is live and not as declared; exit 2 where there is any'),
    ).option('--snapshot <file>', 'compare with what `attune snapshot` recorded'),
    'attune drift',
    'attune drift --format json > drift.json',
  ).action(async (files, flags) => exit(await (await import('../drift.ts')).drift(files, flags, io)));
}
