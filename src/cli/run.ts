import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { addEmulatorFlags, addOutputFlags, addServiceFlags } from './flags.ts';
import type { Io } from './io.ts';

const roots = 'root files, or folders that stand for their attune.yaml (default: attune.yaml)';

/** Runs the command line and resolves with its exit code. Commands are loaded when they are called. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let code = 0;
  const program = createProgram(io, (exitCode) => {
    code = exitCode;
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    if (wantsJson(argv)) io.stdout.write(usageDocument(error));
    return 1;
  }
  return code;
}

/** Looked for by hand: what the command line says could not be read. */
function wantsJson(argv: readonly string[]): boolean {
  return argv.some(
    (word, index) => word === '--format=json' || (word === 'json' && argv[index - 1] === '--format'),
  );
}

function usageDocument({ message }: CommanderError): string {
  const [first = '', ...hints] = message.replace(/^error: /, '').split('\n');
  const hint = hints.length > 0 ? { hint: hints.join(' ') } : {};
  const diagnostic = { severity: 'error', code: 'usage', message: first, ...hint };
  return `${JSON.stringify({ format: 'attune.diagnostics/1', diagnostics: [diagnostic] }, null, 2)}\n`;
}

function createProgram(io: Io, exit: (code: number) => void): Command {
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
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) })
    .addHelpText(
      'after',
      help('attune validate', 'attune plan', 'attune apply --yes', 'attune drift teams/network'),
    );

  addOutputFlags(subcommand(program, 'validate', 'check the files, offline'))
    .addHelpText('after', help('attune validate', 'attune validate environments/* --format json'))
    .action(async (files, flags) => exit(await (await import('./validate.ts')).validate(files, flags, io)));

  addServiceFlags(subcommand(program, 'plan', 'show what apply would do; never writes to the service'))
    .option('--out <file>', 'save the plan, for `attune apply --plan` and `attune show`')
    .option('--snapshot <file>', 'plan from what `attune snapshot` recorded: no service, no token')
    .option('--detailed-exitcode', 'exit with 2 where there are changes')
    .addHelpText(
      'after',
      help(
        'attune plan',
        'attune plan --out plan.json --report plan.md',
        'attune plan --only "workspace.*-prod" --detailed-exitcode',
      ),
    )
    .action(async (files, flags) => exit(await (await import('./plan.ts')).plan(files, flags, io)));

  addServiceFlags(subcommand(program, 'apply', 'plan, show the plan, ask, and make the changes'))
    .option('--plan <file>', 'apply this saved plan and nothing else')
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      help(
        'attune apply',
        'attune apply --plan plan.json --yes',
        'attune apply --yes --max-deletes 3 --format json',
      ),
    )
    .action(async (files, flags) =>
      exit(
        await (flags.plan === undefined
          ? (await import('./apply.ts')).apply(files, flags, io)
          : (await import('./apply-saved.ts')).applySaved(flags.plan, files, flags, io)),
      ),
    );

  addServiceFlags(
    subcommand(program, 'drift', 'report what is live and not as declared; exit 2 where there is any'),
  )
    .option('--snapshot <file>', 'compare with what `attune snapshot` recorded')
    .addHelpText('after', help('attune drift', 'attune drift --format json > drift.json'))
    .action(async (files, flags) => exit(await (await import('./drift.ts')).drift(files, flags, io)));

  addServiceFlags(subcommand(program, 'snapshot', 'record the live state, for plans without a token'))
    .option('--out <file>', 'where to (default: stdout)')
    .addHelpText('after', help('attune snapshot --out live.json', 'attune plan --snapshot live.json'))
    .action(async (files, flags) => exit(await (await import('./snapshot.ts')).snapshot(files, flags, io)));

  addOutputFlags(
    program
      .command('show')
      .description('render a saved plan in any format')
      .argument('<file>', 'what `attune plan --out` made'),
  )
    .helpOption('--help', 'print this help')
    .addHelpText('after', help('attune show plan.json', 'attune show plan.json --format html > plan.html'))
    .action(async (file, flags) => exit(await (await import('./show.ts')).show(file, flags, io)));

  addEmulatorFlags(program.command('emulator').description('serve the embedded service on loopback'))
    .helpOption('--help', 'print this help')
    .addHelpText(
      'after',
      help('attune emulator --seed seed.yaml', 'attune emulator --port 8080 --data live.json'),
    )
    .action(async (flags) => exit(await (await import('./emulator.ts')).emulator(flags, io)));
  return program;
}

function subcommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .argument('[files...]', roots)
    .helpOption('--help', 'print this help');
}

function help(...examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}\n`;
}

function version(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return String(manifest.version);
}
