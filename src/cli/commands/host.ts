import type { Command } from 'commander';
import type { Io } from '../io.ts';

/** What the definition of a command needs of the run that it stands in. */
export interface CommandHost {
  readonly io: Io;
  /** Ends the run with this code; commands are loaded when they are called. */
  exit(code: number): void;
}

/** What files a command takes where it takes any. */
export const rootFiles = 'root files, or folders that stand for their attune.yaml (default: attune.yaml)';

/** A command on root files, or on what a program declares. */
export function fileCommand(program: Command, name: string, description: string): Command {
  return addAppFlag(program.command(name).description(description).argument('[files...]', rootFiles));
}

export function addAppFlag(command: Command): Command {
  return command.option('--app <command>', 'run this program of attune/constructs and take what it declares');
}

/** Ends the help of a command with what is typed for it. */
export function withExamples(command: Command, ...examples: readonly string[]): Command {
  const lines = examples.map((example) => `  $ ${example}`);
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}
