import { Command } from 'commander';
import { addCompletionCommand } from './commands/completion.ts';
import { addEmulatorCommand } from './commands/emulator.ts';
import { addExportCommands } from './commands/export.ts';
import { type CommandHost, withExamples } from './commands/host.ts';
import { addInitCommand } from './commands/init.ts';
import { addReconcileCommands } from './commands/reconcile.ts';
import { addRecordCommands } from './commands/records.ts';
import { addWorkspaceCommands } from './commands/workspace.ts';
import { version } from './version.ts';

/** The whole command line. Definitions only: what a command does is loaded when it is called. */
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
  withExamples(program, 'attune validate', 'attune plan', 'attune apply --yes', 'attune drift teams/network');
  addInitCommand(program, host);
  addReconcileCommands(program, host);
  addRecordCommands(program, host);
  addWorkspaceCommands(program, host);
  addExportCommands(program, host);
  addEmulatorCommand(program, host);
  addCompletionCommand(program, host);
  return program;
}

/** As it is typed: `attune workspace list`. */
function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}
