import { type ReportFormat, reportFormats } from '../report/report.ts';
import {
  choiceFlag,
  type DefaultedFlag,
  type FlagValues,
  listArgument,
  listFlag,
  negatedFlag,
  positiveFlag,
  switchFlag,
  textFlag,
  wholeNumberFlag,
} from './flag.ts';

/** The root files of a command. */
export const rootFiles = {
  files: listArgument('root files, or folders that stand for their attune.yaml (default: attune.yaml)'),
};

export const appFlag = {
  app: textFlag('command', 'run this program of attune/constructs and take what it declares'),
};

export const plainFlags = {
  color: negatedFlag('no colours (as NO_COLOR)'),
  quiet: switchFlag('no progress'),
};

/** The flags of a command that prints a report. */
export const outputFlags = {
  format: formatFlag('what stdout carries', reportFormats),
  report: listFlag('file', 'the report as a file too; .txt .json .md .html .xml .sarif (repeatable)'),
  ...plainFlags,
};

/** The flags of a command that makes files and no report. */
export const documentFlags = {
  format: formatFlag('output format of the result and of errors', ['text', 'json']),
  ...plainFlags,
};

export const onlyFlag = {
  only: listFlag(
    'glob',
    'only these addresses; * is any characters, ? is one, as in "workspace.*-prod" (repeatable)',
  ),
};

export const connectionFlags = {
  address: textFlag('url', 'the service, above ATTUNE_ADDRESS and the file; or the word `embedded`'),
  parallelism: wholeNumberFlag('n', 'requests at a time (default: the file, else 10)', 1),
  rate: positiveFlag('n', 'requests per second (default: the file, else what the service announces)'),
  timeout: positiveFlag('seconds', 'seconds per attempt (default: the file, else 30)'),
  verbose: switchFlag('each request on stderr'),
};

/** The flags of a command that plans; a command that never connects takes them too, hidden, for scripts. */
export const planningFlags = {
  ...onlyFlag,
  maxDeletes: wholeNumberFlag('n', 'how many deletes are allowed, in the place of `limits`', 0),
  ...connectionFlags,
};

/** The arguments of commands on workspaces. */
export const workspaceNames = {
  workspaces: listArgument('names; `*` stands for any characters'),
};

/** The flags of commands on workspaces that are named on the command line. */
export const workspaceFlags = {
  name: listFlag('workspace', 'of this name; `*` stands for any characters (repeatable)'),
  tag: listFlag('tag', 'with this tag (repeatable: all of them)'),
  project: listFlag('project', 'in this project: alias, name or id (repeatable: any of them)'),
  organization: textFlag('name', "the organization (default: the file's)"),
  config: textFlag(
    'file',
    'the root file that tells organization, address and aliases (default: attune.yaml, where there is one)',
  ),
  format: formatFlag('what stdout carries', ['text', 'json']),
  ...plainFlags,
  ...connectionFlags,
};

export type WorkspaceFlags = FlagValues<typeof workspaceFlags>;

/** What a session knows of the flags: those that several commands have. */
export type SessionFlags = FlagValues<typeof outputFlags & typeof planningFlags & typeof appFlag>;

export function formatFlag<const Format extends ReportFormat>(
  description: string,
  formats: readonly Format[],
): DefaultedFlag<Format | 'text'> {
  return { ...choiceFlag<Format | 'text'>('format', description, formats), default: 'text' };
}
