import { Command } from 'commander';
import { type CliCommand, type CommandHost, withExamples } from './command.ts';
import { apply } from './commands/apply.ts';
import { completion } from './commands/completion.ts';
import { drift } from './commands/drift.ts';
import { emulator } from './commands/emulator.ts';
import { exportTerraform } from './commands/export-terraform.ts';
import { importCommand } from './commands/import.ts';
import { init } from './commands/init.ts';
import { plan } from './commands/plan.ts';
import { show } from './commands/show.ts';
import { snapshot } from './commands/snapshot.ts';
import { undo } from './commands/undo.ts';
import { validate } from './commands/validate.ts';
import { workspace } from './commands/workspace/workspace.ts';
import { version } from './version.ts';

/** In the order of the help. */
const commands: readonly CliCommand[] = [
  init,
  validate,
  plan,
  apply,
  drift,
  importCommand,
  snapshot,
  show,
  undo,
  workspace,
  exportTerraform,
  emulator,
  completion,
];

/** The whole command line. Definitions only: a command loads what it needs when it is called. */
export function createProgram(host: CommandHost): Command {
  const { io } = host;
  const program = new Command('attune')
    .description(
      'Keeps the workspaces, tags, state sharing and team access of an organization as files declare them.',
    )
    .version(version(), '--version', 'print the version')
    .helpOption('--help', 'print this help')
    .helpCommand(false)
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for the flags)')
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    });
  program.hook('preAction', (_program, command) => {
    io.run.command = commandPath(command);
  });
  withExamples(program, [
    'attune validate',
    'attune plan',
    'attune apply --yes',
    'attune drift teams/network',
  ]);
  for (const command of commands) command.addTo(program, host);
  return program;
}

/** As it is typed: `attune workspace list`. */
function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}
