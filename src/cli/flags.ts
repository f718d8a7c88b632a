import { type Command, InvalidArgumentError, Option } from 'commander';
import { dialects } from '../model/dialect.ts';
import { type ReportFormat, reportFormats } from '../report/report.ts';

/** The flags that every command on a configuration takes. */
export interface CommonFlags {
  readonly address?: string;
  /** A program of attune/constructs to run. */
  readonly app?: string;
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

/** For commands that talk to nobody: they take the flags of the service too, so that scripts can pass them to all. */
export function addOutputFlags(command: Command): Command {
  for (const option of outputFlags()) command.addOption(option);
  for (const option of serviceFlags()) command.addOption(option.hideHelp());
  return command;
}

export function addServiceFlags(command: Command): Command {
  for (const option of [...outputFlags(), ...serviceFlags()]) command.addOption(option);
  return command;
}

/** The flags of commands on workspaces that are named on the command line. */
export interface WorkspaceFlags extends CommonFlags {
  readonly organization?: string;
  readonly config?: string;
  readonly name?: readonly string[];
  readonly tag?: readonly string[];
  readonly project?: readonly string[];
}

export function addWorkspaceFlags(command: Command): Command {
  const options = [
    new Option('--name <workspace>', 'of this name; `*` stands for any characters (repeatable)').argParser(
      collect,
    ),
    new Option('--tag <tag>', 'with this tag (repeatable: all of them)').argParser(collect),
    new Option(
      '--project <project>',
      'in this project: alias, name or id (repeatable: any of them)',
    ).argParser(collect),
    new Option('--organization <name>', "the organization (default: the file's)"),
    new Option(
      '--config <file>',
      'the root file that tells organization, address and aliases (default: attune.yaml, where there is one)',
    ),
    new Option('--format <format>', 'what stdout carries').choices(['text', 'json']).default('text'),
    ...plainFlags(),
    ...connectionFlags(),
  ];
  for (const option of options) command.addOption(option);
  return command;
}

export function addInitFlags(command: Command): Command {
  const options = [
    new Option('--organization <name>', 'the organization (default: acme, on the embedded service)'),
    new Option('--address <url>', 'the service; or the word `embedded`, which needs no account (default)'),
    new Option('--import', 'write what is live into the files'),
    new Option('--ci <system>', 'add the recipes for this system').choices(['github', 'gitlab']),
    new Option('--force', 'overwrite files that are there'),
    new Option('--yes', 'do not ask: take what is usual'),
    ...plainFlags(),
    ...connectionFlags().filter(({ long }) => long !== '--address'),
  ];
  for (const option of options) command.addOption(option);
  return command;
}

function outputFlags(): Option[] {
  return [
    new Option('--format <format>', 'what stdout carries').choices(reportFormats).default('text'),
    new Option(
      '--report <file>',
      'the report as a file too; .txt .json .md .html .xml .sarif (repeatable)',
    ).argParser(collect),
    ...plainFlags(),
  ];
}

function plainFlags(): Option[] {
  return [new Option('--no-color', 'no colours (as NO_COLOR)'), new Option('--quiet', 'no progress')];
}

function serviceFlags(): Option[] {
  return [
    onlyFlag(),
    new Option('--max-deletes <n>', 'how many deletes are allowed, in the place of `limits`').argParser(
      wholeNumber(0),
    ),
    ...connectionFlags(),
  ];
}

function onlyFlag(): Option {
  return new Option(
    '--only <glob>',
    'only these addresses; * is any characters, ? is one, as in "workspace.*-prod" (repeatable)',
  ).argParser(collect);
}

/** For commands that make files and no report. */
function documentFlags(): Option[] {
  return [
    new Option('--format <format>', 'output format of the result and of errors')
      .choices(['text', 'json'])
      .default('text'),
    ...plainFlags(),
  ];
}

function connectionFlags(): Option[] {
  return [
    new Option('--address <url>', 'the service, above ATTUNE_ADDRESS and the file; or the word `embedded`'),
    new Option('--parallelism <n>', 'requests at a time (default: the file, else 10)').argParser(
      wholeNumber(1),
    ),
    new Option(
      '--rate <n>',
      'requests per second (default: the file, else what the service announces)',
    ).argParser(positive),
    new Option('--timeout <seconds>', 'seconds per attempt (default: the file, else 30)').argParser(positive),
    new Option('--verbose', 'each request on stderr'),
  ];
}

export function addSnapshotFlags(command: Command): Command {
  for (const option of [...documentFlags(), ...connectionFlags()]) command.addOption(option);
  return command;
}

export function addExportFlags(command: Command): Command {
  for (const option of [...outputFlags(), onlyFlag(), ...connectionFlags()]) command.addOption(option);
  return command;
}

export function addImportFlags(command: Command): Command {
  for (const option of [...documentFlags(), onlyFlag(), ...connectionFlags()]) command.addOption(option);
  return command
    .option(
      '--out <dir>',
      'where to: a folder for files by project, or a .yaml file for all in one (default: here)',
    )
    .option('--organization <name>', 'the organization (default: that of the file)')
    .option('--project <name>', 'only of this project, by name or id (repeatable: of any)', collect)
    .option('--tag <tag>', 'only workspaces with this tag (repeatable: with all)', collect)
    .option('--name <pattern>', 'only workspaces of this name, with * (repeatable: of any)', collect)
    .option('--all', "values that equal the service's documented defaults, too")
    .option('--force', 'overwrite files that are there')
    .option('--update', 'add what is missing to files that are there, and keep the rest as it is');
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
