import { type Command, InvalidArgumentError, Option } from 'commander';
import { dialects } from '../model/dialect.ts';
import { type ReportFormat, reportFormats } from '../report/report.ts';

/** The flags that every command on a configuration takes. */
export interface CommonFlags {
  readonly address?: string;
  readonly format: ReportFormat;
  readonly report?: readonly string[];
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
    .addOption(new Option('--format <format>', 'what stdout carries').choices(reportFormats).default('text'))
    .option(
      '--report <file>',
      'the report as a file too; .txt .json .md .html .xml .sarif (repeatable)',
      collect,
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

export function addEmulatorFlags(command: Command): Command {
  return command
    .option('--port <n>', 'the port (default: a free one)', wholeNumber(0))
    .option('--data <file>', 'keep what is written in this file (default: in memory only)')
    .option('--seed <file>', 'what there is at the start, while there is no data yet')
    .option('--organization <name>', "the organization (default: the seed's, else acme)")
    .addOption(new Option('--dialect <dialect>', 'the names on the wire (default: iac)').choices(dialects))
    .addOption(
      new Option('--edition <edition>', 'which offering (default: see docs/emulator.md)').choices([
        'hosted',
        'self-hosted',
      ]),
    )
    .option('--latency <ms>', 'milliseconds added to each request', positive)
    .option('--rate <n>', 'requests per second and caller; more are answered with 429', wholeNumber(1))
    .option('--faults <file>', 'what shall go wrong, and when')
    .option('--log <file>', 'each request as a line of JSON')
    .option('--no-color', 'no colours (as NO_COLOR)');
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
