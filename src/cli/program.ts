import { type Argument, Command, type Option } from 'commander';
import { escapeControls } from '../report/escape-controls.ts';
import { type CliCommand, type CommandHost, withHelp } from './command.ts';
import { accept } from './commands/accept.ts';
import { apply } from './commands/apply.ts';
import { completion } from './commands/completion.ts';
import { doctor } from './commands/doctor.ts';
import { drift } from './commands/drift.ts';
import { emulator } from './commands/emulator.ts';
import { explain } from './commands/explain.ts';
import { exportTerraform } from './commands/export-terraform.ts';
import { importCommand } from './commands/import.ts';
import { init } from './commands/init.ts';
import { plan } from './commands/plan.ts';
import { render } from './commands/render.ts';
import { roots } from './commands/roots.ts';
import { show } from './commands/show.ts';
import { snapshot } from './commands/snapshot.ts';
import { undo } from './commands/undo.ts';
import { validate } from './commands/validate.ts';
import { watch } from './commands/watch.ts';
import { workspace } from './commands/workspace/workspace.ts';
import { version } from './manifest.ts';

/** In the order of the help, by heading. */
const commandGroups: Readonly<Record<string, readonly CliCommand[]>> = {
  'Main commands:': [init, validate, plan, apply, drift, watch, undo],
  'Other commands:': [
    doctor,
    explain,
    render,
    accept,
    importCommand,
    snapshot,
    show,
    roots,
    workspace,
    exportTerraform,
    emulator,
    completion,
  ],
};

/**
 * Definitions only: a command loads what it needs when it is called.
 *
 * @param called the first word of the command line. If it names a command, the others are left out: their definitions take longer than
 * the parsing, and only the help and the suggestions of the program itself show them.
 */
export function createProgram(host: CommandHost, called?: string): Command {
  const { io } = host;
  const isCalled = ({ name }: CliCommand) => name === called;
  const isAmong = Object.values(commandGroups).some((commands) => commands.some(isCalled));
  const program = new Command('attune')
    .description('Attune manages workspaces, tags, state sharing and team access as code.')
    .version(version(), '--version', 'print the version')
    .helpOption('--help', 'print this help')
    .configureHelp({ optionDescription, argumentDescription: optionDescription })
    .helpCommand(false)
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for the flags)')
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text.split('\n').map(escapeControls).join('\n')),
    });
  program.hook('preAction', (_program, command) => {
    io.run.command = commandPath(command);
  });
  withHelp(program, {
    examples: ['attune validate', 'attune plan', 'attune apply --yes', 'attune drift teams/network'],
  });
  program.addHelpText('after', '\nRun "attune <command> --help" for more information about a command.');
  for (const [heading, commands] of Object.entries(commandGroups)) {
    program.commandsGroup(heading);
    for (const command of isAmong ? commands.filter(isCalled) : commands) command.addTo(program, host);
  }
  return program;
}

/** With its values in plain words instead of commander's list of JSON strings. */
function optionDescription({ description, argChoices, defaultValue }: Option | Argument): string {
  const choices = argChoices ? `: ${argChoices.join(', ')}` : '';
  return `${description}${choices}${typeof defaultValue === 'string' ? ` (default: ${defaultValue})` : ''}`;
}

/** As it is typed: `attune workspace list`. */
function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}
