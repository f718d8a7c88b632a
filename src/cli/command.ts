import type { Command } from 'commander';
import type { ReportKind } from '../report/report.ts';
import {
  type ArgumentSet,
  type ArgumentValues,
  argumentOf,
  type FlagSet,
  type FlagValues,
  optionOf,
} from './flag.ts';
import type { Io } from './io.ts';
import type { Session } from './session.ts';

/** What a command needs of the run that it belongs to. */
export interface CommandHost {
  readonly io: Io;
  /** Sets the exit code of the run. */
  exit(code: number): void;
}

/** A row of the table in `program.ts`. */
export interface CliCommand {
  addTo(parent: Command, host: CommandHost): void;
}

/** A command: its arguments, its flags, its help, and what it does. */
export interface CommandDefinition<Arguments extends ArgumentSet, Flags extends FlagSet> {
  readonly name: string;
  readonly description: string;
  readonly arguments: Arguments;
  /** In the order of the help. */
  readonly flags: Flags;
  readonly examples: readonly string[];
  /** The report that an error is part of; absent for a command that makes none: its errors are only printed. */
  readonly report?: ReportKind | ((flags: FlagValues<Flags>, io: Io) => ReportKind);
  /**
   * Loads what it needs when it is called, so that help and completion load definitions only.
   *
   * @returns the exit code
   */
  run(args: ArgumentValues<Arguments>, flags: FlagValues<Flags>, session: Session): number | Promise<number>;
}

/** The types of arguments and flags that `run` gets are inferred from their definitions. */
export function defineCommand<Arguments extends ArgumentSet, Flags extends FlagSet>(
  definition: CommandDefinition<Arguments, Flags>,
): CliCommand {
  const { name, description, examples, report, run } = definition;
  return {
    addTo: (parent, { io, exit }) => {
      const command = withExamples(parent.command(name).description(description), examples);
      for (const [key, argument] of Object.entries(definition.arguments))
        command.addArgument(argumentOf(key, argument));
      for (const [key, flag] of Object.entries(definition.flags)) command.addOption(optionOf(key, flag));
      command.action(async () => {
        const flags = command.opts<FlagValues<Flags>>();
        const args = valuesOf(definition.arguments, command);
        const kind = typeof report === 'function' ? report(flags, io) : report;
        const { runSession } = await import('./run-session.ts');
        const given = { format: 'text', color: true, ...flags } as const;
        exit(await runSession(io, given, kind, async (session) => run(args, flags, session)));
      });
    },
  };
}

/** The one place where the values that commander has parsed get their types. */
function valuesOf<Arguments extends ArgumentSet>(
  definitions: Arguments,
  { processedArgs }: Command,
): ArgumentValues<Arguments> {
  const entries = Object.keys(definitions).map((name, index) => [name, processedArgs[index]]);
  return Object.fromEntries(entries);
}

export interface GroupDefinition {
  readonly name: string;
  readonly description: string;
  /** @default what commander makes of the commands */
  readonly usage?: string;
  readonly examples: readonly string[];
  /** In the order of the help. */
  readonly commands: readonly CliCommand[];
}

/** A command that only holds others, as `attune workspace`. */
export function defineGroup({ name, description, usage, examples, commands }: GroupDefinition): CliCommand {
  return {
    addTo: (parent, host) => {
      const group = parent.command(name).description(description).helpCommand(false);
      if (usage !== undefined) group.usage(usage);
      withExamples(group, examples);
      for (const command of commands) command.addTo(group, host);
    },
  };
}

/** Ends the help of a command with examples. */
export function withExamples(command: Command, examples: readonly string[]): Command {
  const lines = examples.map((example) => `  $ ${example}`);
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}
