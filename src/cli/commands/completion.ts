import type { Command, Option } from 'commander';
import { readPackageFile } from '../../model/package-files.ts';
import { defineCommand, requiredArgument } from '../command.ts';
import { isShared } from '../flags.ts';

export default defineCommand({
  details:
    'Prints a script that completes commands, flags, their values and files in your shell. Load it in the start-up file of the shell.',
  arguments: { shell: requiredArgument('shell', ['bash', 'zsh', 'fish']) },
  flags: {},
  examples: [
    'source <(attune completion bash)',
    'source <(attune completion zsh)',
    'attune completion fish > ~/.config/fish/completions/attune.fish',
  ],
  learnMore: 'docs/installation.md',
  run: async ({ shell }, _flags, { io }) => {
    io.stdout.write(readPackageFile(`completions/attune.${shell}`));
    return 0;
  },
});

/**
 * The answer to a completion script: a line with the kind of paths that the shell adds, then one line per value, with a
 * tab and its description if it has one.
 */
export function complete(program: Command, words: readonly string[]): string {
  const { paths, values } = suggest(program, words);
  const lines = values.map(({ value, description }) =>
    description === undefined ? value : `${value}\t${description}`,
  );
  return [paths, ...lines].map((line) => `${line}\n`).join('');
}

interface Suggestions {
  readonly values: readonly SuggestedValue[];
  readonly paths: 'files' | 'directories' | 'none';
}

interface SuggestedValue {
  readonly value: string;
  readonly description?: string;
}

/**
 * Suggests values from the definitions of the commands: the placeholder of a flag or argument selects the kind of value, as in
 * `--out <file>`.
 */
function suggest(program: Command, words: readonly string[]): Suggestions {
  const current = words.at(-1) ?? '';
  // Bash splits `--format=json` into three words.
  const before = words.slice(0, -1).filter((word) => word !== '=');
  const { command, operands, pending, isAfterFlags } = read(program, before);
  if (pending) {
    const [, placeholder = ''] = /<([^<>]+)>/.exec(pending.flags) ?? [];
    return startingWith(current, placeholderValues(placeholder, pending.argChoices));
  }
  if (current.startsWith('-') && !isAfterFlags) return startingWith(current, flagsOf(command));
  const commands = operands === 0 ? commandsOf(command) : [];
  const argument = command.registeredArguments[operands] ?? command.registeredArguments.at(-1);
  const isTaken =
    argument === undefined || (operands >= command.registeredArguments.length && !argument.variadic);
  const own = isTaken ? nothing : placeholderValues(argument.name(), argument.argChoices);
  return startingWith(current, { ...own, values: [...commands, ...own.values] });
}

const nothing: Suggestions = { values: [], paths: 'none' };

function read(program: Command, words: readonly string[]) {
  let command = program;
  let operands = 0;
  let pending: Option | undefined;
  let isAfterFlags = false;
  for (const word of words) {
    if (pending) pending = undefined;
    else if (isAfterFlags) operands += 1;
    else if (word === '--') isAfterFlags = true;
    else if (word.startsWith('-')) {
      const option = command.options.find(({ long, short }) => long === word || short === word);
      pending = option?.required ? option : undefined;
    } else {
      const next = operands === 0 ? command.commands.find((one) => one.name() === word) : undefined;
      if (next) command = next;
      else operands += 1;
    }
  }
  return { command, operands, pending, isAfterFlags };
}

function flagsOf(command: Command): Suggestions {
  const own = command.createHelp().visibleOptions(command);
  const values = [...own, ...command.options.filter(isShared)].map(({ long, short, description }) => ({
    value: long ?? short ?? '',
    description,
  }));
  return { values, paths: 'none' };
}

function commandsOf(command: Command): SuggestedValue[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((one) => ({ value: one.name(), description: one.summary() || one.description() }));
}

function placeholderValues(placeholder: string, choices: readonly string[] | undefined): Suggestions {
  if (choices) return { values: choices.map((value) => ({ value })), paths: 'none' };
  if (/^files?$/.test(placeholder)) return { values: [], paths: 'files' };
  return { values: [], paths: /^dirs?$/.test(placeholder) ? 'directories' : 'none' };
}

function startingWith(start: string, { values, paths }: Suggestions): Suggestions {
  return { values: values.filter(({ value }) => value.startsWith(start)), paths };
}
