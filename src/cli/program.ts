import { type Argument, Command, type Option } from 'commander';
import { escapeControls } from '../report/escape-controls.ts';
import { version } from '../run/manifest.ts';
import { type CliCommand, type CommandHost, type CommandName, withHelp } from './command.ts';

/** A command, and the file with its definition and everything that it needs, which is loaded when the command is called. */
interface CommandRow extends Omit<CommandName, 'name'> {
  load(): Promise<{ readonly default: CliCommand }>;
}

/** By heading and name, in the order of the help. */
const commandGroups: Readonly<Record<string, Readonly<Record<string, CommandRow>>>> = {
  'Main commands:': {
    init: {
      description: 'create a configuration: root file, .gitignore and CI recipes',
      load: () => import('./commands/init.ts'),
    },
    validate: {
      description: 'validate configuration files offline',
      load: () => import('./commands/validate.ts'),
    },
    plan: {
      description: 'show the changes that apply would make',
      load: () => import('./commands/plan.ts'),
    },
    apply: {
      description: 'plan, confirm and apply changes',
      load: () => import('./commands/apply.ts'),
    },
    drift: {
      description: 'detect drift from the configuration; exits with 2 if there is any',
      load: () => import('./commands/drift.ts'),
    },
    watch: {
      description: 'reconcile continuously, with metrics, health endpoints and a report page',
      load: () => import('./commands/watch.ts'),
    },
    undo: {
      description: 'revert the changes recorded in a journal: plan, confirm, apply',
      load: () => import('./commands/undo.ts'),
    },
  },
  'Other commands:': {
    doctor: {
      description: 'check the configuration, the connection, the token and its permissions',
      load: () => import('./commands/doctor.ts'),
    },
    access: {
      description: 'show who can do what, and why: teams, projects, workspaces and their state',
      load: () => import('./commands/access.ts'),
    },
    explain: {
      description: 'show where each declared value comes from, and what it overrides',
      load: () => import('./commands/explain.ts'),
    },
    render: {
      description: 'print the effective configuration after defaults, templates, roles and aliases',
      load: () => import('./commands/render.ts'),
    },
    accept: {
      description: 'write live values into the configuration files',
      load: () => import('./commands/accept.ts'),
    },
    import: {
      description: 'write configuration files from the live state',
      load: () => import('./commands/import.ts'),
    },
    snapshot: {
      description: 'record the live state in a file, for plans without a token',
      load: () => import('./commands/snapshot.ts'),
    },
    show: {
      description: 'render saved plans, drift and apply results as one report',
      load: () => import('./commands/show.ts'),
    },
    roots: {
      description: 'list root files below folders',
      load: () => import('./commands/roots.ts'),
    },
    workspace: {
      description: 'list, show, lock, unlock or delete live workspaces',
      load: () => import('./commands/workspace.ts'),
    },
    export: {
      description: 'export the configuration for another tool',
      load: () => import('./commands/export-terraform.ts'),
    },
    emulator: {
      description: 'run the embedded service on a loopback address',
      load: () => import('./commands/emulator.ts'),
    },
    completion: {
      description: 'print a shell completion script',
      load: () => import('./commands/completion.ts'),
    },
  },
};

/** A topic of `attune help`, without an entry in the list of commands. */
const optionsTopic: CommandRow = {
  description: 'the flags that commands share',
  load: () => import('./commands/options.ts'),
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

/** The program with the definitions of all commands, for its documentation. */
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
    for (const [name, { description, load }] of Object.entries(commands)) {
      if (!isShown(name)) continue;
      if (isLoaded(name)) (await load()).default.addTo(program, { name, description }, host);
      else program.command(name).description(description);
    }
  }
  if (isLoaded('options')) {
    const { description, load } = optionsTopic;
    (await load()).default.addTo(program, { name: 'options', description }, host);
  }
  return program;
}

/** The hidden command that the completion scripts call each time the user asks for completion. */
function withCompletion(program: Command, { io, exit }: CommandHost): Command {
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: readonly string[]) => {
      const { complete } = await import('./complete.ts');
      io.stdout.write(await complete(program, words, io.cwd));
      exit(0);
    });
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
