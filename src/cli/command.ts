import { Argument, type Command } from 'commander';
import { usageError } from '../model/diagnostic.ts';
import type { ReportKind } from '../report/report.ts';
import { pageUrl } from '../run/manifest.ts';
import { type FlagSet, type FlagValues, flagName, isShared, optionOf } from './flags.ts';
import type { Io } from './io.ts';
import type { Session } from './session.ts';

declare const valueType: unique symbol;

export interface Positional<Value> {
  readonly description: string;
  readonly form: '<x>' | '[x]' | '[x...]' | '<x...>';
  readonly choices?: readonly string[] | undefined;
  readonly [valueType]?: Value;
}

type ArgumentSet = Readonly<Record<string, Positional<unknown>>>;

type ArgumentValues<Arguments extends ArgumentSet> = {
  readonly [Name in keyof Arguments]: Arguments[Name] extends Positional<infer Value> ? Value : never;
};

export function requiredArgument<const Choice extends string = string>(
  description: string,
  choices?: readonly Choice[],
): Positional<Choice> {
  return { description, form: '<x>', choices };
}

export function optionalArgument(description: string): Positional<string | undefined> {
  return { description, form: '[x]' };
}

export function listArgument(
  description: string,
  form: '[x...]' | '<x...>' = '[x...]',
): Positional<readonly string[]> {
  return { description, form };
}

function argumentOf(name: string, { form, description, choices }: Positional<unknown>): Argument {
  const argument = new Argument(form.replace('x', name), description);
  return choices ? argument.choices(choices) : argument;
}

export const rootFiles = {
  files: listArgument('root files, or folders with an attune.yaml (default: attune.yaml)'),
};

export interface CommandHost {
  readonly io: Io;
  exit(code: number): void;
}

export interface CliCommand {
  addTo(parent: Command, about: Readonly<Record<'name' | 'description', string>>, host: CommandHost): void;
}

type Conflict<Flags extends FlagSet> = readonly [
  one: keyof Flags & string,
  other: keyof Flags & string,
  hint: string,
];

interface CommandDefinition<Arguments extends ArgumentSet, Flags extends FlagSet> extends HelpTexts {
  readonly arguments: Arguments;
  readonly flags: Flags;
  readonly conflicts?: readonly Conflict<Flags>[];
  /** The report that an error is part of; absent for a command that makes none: its errors are only printed. */
  readonly report?: ReportKind | ((flags: FlagValues<Flags>) => ReportKind | undefined);
  run(args: ArgumentValues<Arguments>, flags: FlagValues<Flags>, session: Session): number | Promise<number>;
}

export function defineCommand<Arguments extends ArgumentSet, Flags extends FlagSet>(
  definition: CommandDefinition<Arguments, Flags>,
): CliCommand {
  const { report, run } = definition;
  return {
    addTo: (parent, { name, description }, { io, exit }) => {
      const command = withHelp(parent.command(name).description(description), definition);
      for (const [key, argument] of Object.entries(definition.arguments))
        command.addArgument(argumentOf(key, argument));
      for (const [key, flag] of Object.entries(definition.flags)) command.addOption(optionOf(key, flag));
      command.action(async () => {
        const values = command.opts<FlagValues<Flags>>();
        const args = valuesOf(definition.arguments, command);
        const kind = typeof report === 'function' ? report(values) : report;
        const { runSession } = await import('./emit.ts');
        const given = { format: 'text', ...values } as const;
        exit(
          await runSession(io, given, kind, async (session) => {
            refuseConflicts(values, definition.conflicts);
            return run(args, values, session);
          }),
        );
      });
    },
  };
}

function refuseConflicts<Flags extends FlagSet>(
  values: FlagValues<Flags>,
  conflicts: readonly Conflict<Flags>[] = [],
): void {
  const given: Readonly<Record<string, unknown>> = values;
  const isGiven = (name: string) => given[name] !== undefined && given[name] !== false;
  const found = conflicts.find(([one, other]) => isGiven(one) && isGiven(other));
  if (found === undefined) return;
  const [one, other, hint] = found;
  throw usageError(`${flagName(one)} cannot be used with ${flagName(other)}`, hint);
}

/** The one place where the values that commander has parsed get their types. */
function valuesOf<Arguments extends ArgumentSet>(
  definitions: Arguments,
  { processedArgs }: Command,
): ArgumentValues<Arguments> {
  const entries = Object.keys(definitions).map((name, index) => [name, processedArgs[index]]);
  return Object.fromEntries(entries);
}

interface GroupDefinition extends HelpTexts {
  readonly commands: Readonly<Record<string, { readonly description: string; readonly command: CliCommand }>>;
}

export function defineGroup(definition: GroupDefinition): CliCommand {
  return {
    addTo: (parent, { name, description }, host) => {
      const group = parent.command(name).description(description).helpCommand(false);
      withHelp(group, definition);
      for (const [key, row] of Object.entries(definition.commands))
        row.command.addTo(group, { name: key, description: row.description }, host);
    },
  };
}

interface HelpTexts {
  readonly details?: string;
  readonly examples: readonly string[];
  readonly learnMore?: string;
}

export function withHelp(command: Command, { details, examples, learnMore }: HelpTexts): Command {
  if (details !== undefined) {
    const summary = command.description();
    command.summary(summary).description(`${summary}

${details}`);
  }
  const lines = examples.map((example) => `  $ ${example}`);
  return command.addHelpText('after', ({ command: { options } }) => {
    const pointers = [
      options.some(isShared) ? 'Shared flags: attune help options' : [],
      learnMore === undefined ? [] : `Learn more: ${pageUrl(learnMore)}`,
    ].flat();
    return ['', 'Examples:', lines, pointers.length > 0 ? ['', pointers].flat() : []].flat().join('\n');
  });
}
