import { type Command, InvalidArgumentError, Option } from 'commander';

/** The flags that every command on a configuration takes. */
export interface CommonFlags {
  readonly address?: string;
  readonly format: 'text' | 'json';
  readonly only?: readonly string[];
  readonly maxDeletes?: number;
  readonly parallelism?: number;
  readonly rate?: number;
  readonly timeout?: number;
  readonly color: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** What `validate` takes of them: it talks to nobody. */
export function addOutputFlags(command: Command): Command {
  return command
    .addOption(
      new Option('--format <format>', 'what stdout carries').choices(['text', 'json']).default('text'),
    )
    .option('--no-color', 'no colours (as NO_COLOR)')
    .option('--quiet', 'no progress');
}

export function addServiceFlags(command: Command): Command {
  return addOutputFlags(command)
    .option('--address <url>', 'the service, above ATTUNE_ADDRESS and the file; or the word `embedded`')
    .option(
      '--only <glob>',
      'only changes of these addresses, as in "workspace.*-prod" (repeatable)',
      collect,
      [],
    )
    .option('--max-deletes <n>', 'how many deletes are allowed, in the place of `limits`', wholeNumber(0))
    .option('--parallelism <n>', 'requests at a time (default: the file, else 10)', wholeNumber(1))
    .option(
      '--rate <n>',
      'requests per second (default: the file, else what the service announces)',
      positive,
    )
    .option('--timeout <seconds>', 'seconds per attempt (default: the file, else 30)', positive)
    .option('--verbose', 'each request on stderr');
}

function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}

function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least}.`);
  };
}

function positive(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value > 0) return value;
  throw new InvalidArgumentError('It must be a number above 0.');
}
