import { type Argument, Command, type Option } from 'commander';
import { escapeControls } from '../report/escape-controls.ts';
import { version } from '../run/manifest.ts';
import { type CliCommand, type CommandHost, withHelp } from './command.ts';
import { optionOf, sharedFlags } from './flags.ts';

type CommandRow = readonly [description: string, load: () => Promise<{ readonly default: CliCommand }>];

const commandGroups: Readonly<Record<string, Readonly<Record<string, CommandRow>>>> = {
  'Main commands:': {
    init: [
      'create a configuration: root file, .gitignore and CI recipes',
      () => import('./commands/init.ts'),
    ],
    validate: ['validate configuration files offline', () => import('./commands/validate.ts')],
    plan: ['show the changes that apply would make', () => import('./commands/plan.ts')],
    apply: ['plan, confirm and apply changes', () => import('./commands/apply.ts')],
    drift: [
      'detect drift from the configuration; exits with 2 if there is any',
      () => import('./commands/plan.ts').then(({ drift }) => ({ default: drift })),
    ],
    watch: [
      'reconcile continuously, with metrics, health endpoints and a report page',
      () => import('./commands/watch.ts'),
    ],
    undo: [
      'revert the changes recorded in a journal: plan, confirm, apply',
      () => import('./commands/undo.ts'),
    ],
  },
  'Other commands:': {
    doctor: [
      'check the configuration, the connection, the token and its permissions',
      () => import('./commands/doctor.ts'),
    ],
    access: [
      'show who can do what, and why: teams, projects, workspaces and their state',
      () => import('./commands/access.ts'),
    ],
    explain: [
      'show where each declared value comes from, and what it overrides',
      () => import('./commands/explain.ts'),
    ],
    render: [
      'print the effective configuration after defaults, templates, roles and aliases',
      () => import('./commands/explain.ts').then(({ render }) => ({ default: render })),
    ],
    accept: ['write live values into the configuration files', () => import('./commands/accept.ts')],
    import: ['write configuration files from the live state', () => import('./commands/import.ts')],
    snapshot: [
      'record the live state in a file, for plans without a token',
      () => import('./commands/snapshot.ts'),
    ],
    show: ['render saved plans, drift and apply results as one report', () => import('./commands/show.ts')],
    roots: ['list root files below folders', () => import('./commands/roots.ts')],
    workspace: ['list, show, lock or unlock live workspaces', () => import('./commands/workspace.ts')],
    export: ['export the configuration for another tool', () => import('./commands/export-terraform.ts')],
    emulator: ['run the embedded service on a loopback address', () => import('./commands/emulator.ts')],
    completion: ['print a shell completion script', () => import('./commands/completion.ts')],
  },
};

export function isCommand(word = ''): boolean {
  if (word === 'options') return true;
  return Object.values(commandGroups).some((commands) => Object.hasOwn(commands, word));
}

/** The program as far as a command line needs it: of all commands, it loads only the called one. */
export async function createProgram(host: CommandHost, argv: readonly string[]): Promise<Command> {
  const [called] = argv;
  if (called === '__complete') {
    const completed = argv.slice(1).find((word) => !word.startsWith('-'));
    return withCompletion(await assemble(host, all, (name) => name === completed), host);
  }
  const isCalled = (name: string) => name === called;
  // The help of the program and its suggestions show the names and descriptions of all.
  return assemble(host, isCommand(called) ? isCalled : all, isCalled);
}

export function createWholeProgram(host: CommandHost): Promise<Command> {
  return assemble(host, all, all);
}

const all = () => true;

async function assemble(
  host: CommandHost,
  isShown: (name: string) => boolean,
  isLoaded: (name: string) => boolean,
): Promise<Command> {
  const { io } = host;
  const program = new Command('attune')
    .description('Attune manages workspaces, tags, state sharing and team access as code.')
    .version(version(), '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .configureHelp({ optionDescription, argumentDescription: optionDescription })
    .helpCommand(false)
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for the flags)')
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      getOutHelpWidth: () => Math.min(io.stdout.columns ?? 100, 100),
      writeErr: (text) => io.stderr.write(text.split('\n').map(escapeControls).join('\n')),
    });
  program.hook('preAction', (_program, command) => {
    io.run.command = commandPath(command);
  });
  withHelp(program, {
    examples: ['attune validate', 'attune plan', 'attune apply --yes', 'attune drift teams/network'],
  });
  program.addHelpText(
    'after',
    '\nRun "attune COMMAND --help" for the flags of a command, and "attune help options" for shared flags.',
  );
  for (const [heading, commands] of Object.entries(commandGroups)) {
    program.commandsGroup(heading);
    for (const [name, [description, load]] of Object.entries(commands)) {
      if (!isShown(name)) continue;
      if (isLoaded(name)) (await load()).default.addTo(program, { name, description }, host);
      else program.command(name).description(description);
    }
  }
  if (isLoaded('options')) addOptionsTopic(program);
  return program;
}

function addOptionsTopic(program: Command): void {
  const command = program.command('options', { hidden: true }).description('the flags that commands share');
  command.configureHelp({ ...command.configureHelp(), commandUsage: () => 'attune COMMAND [options]' });
  for (const [name, flag] of Object.entries(sharedFlags))
    command.addOption(optionOf(name, flag).hideHelp(false));
  withHelp(command, {
    details:
      'Commands that print a report have the output options, and commands that connect to the service the connection options. Every command that prints progress has --no-color and --quiet.',
    examples: ['attune plan --format json --quiet', 'attune apply --report apply.html --parallelism 4'],
    learnMore: 'docs/commands.md',
  });
  command.action(() => command.help());
}

/** The hidden command that the completion scripts call each time the user asks for completion. */
function withCompletion(program: Command, { io, exit }: CommandHost): Command {
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: readonly string[]) => {
      const { complete } = await import('./commands/completion.ts');
      io.stdout.write(complete(program, words));
      exit(0);
    });
  return program;
}

function optionDescription({ description, argChoices, defaultValue }: Option | Argument): string {
  const choices = argChoices ? `: ${argChoices.join(', ')}` : '';
  return `${description}${choices}${typeof defaultValue === 'string' ? ` (default: ${defaultValue})` : ''}`;
}

function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}
