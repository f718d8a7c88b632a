import { reportFileExtensions, reportFormats } from '../report/report.ts';
import { healModes } from '../run/cycle/outcome.ts';
import {
  defaultedFlag,
  durationFlag,
  type FlagValues,
  listArgument,
  listenFlag,
  listFlag,
  percentFlag,
  positiveFlag,
  reasonFlag,
  shardFlag,
  shared,
  switchFlag,
  textFlag,
  timeFlag,
  wholeNumberFlag,
} from './flag.ts';

export const rootFiles = {
  files: listArgument('root files, or folders with an attune.yaml (default: attune.yaml)'),
};

export const appFlag = {
  app: textFlag('command', 'use the configuration that this attune/constructs program declares'),
};

export const rootFlags = {
  shard: shardFlag('i/n', 'use part I of N of the root files, divided by organization'),
};

export const plainFlags = shared('Output options:', {
  noColor: switchFlag('disable colors (same as NO_COLOR)'),
  quiet: switchFlag('hide progress'),
});

export const outputFlags = {
  ...shared('Output options:', {
    ...formatFlag(reportFormats, 'output format of a report'),
    report: listFlag(
      'file',
      `also write the report to a ${reportFileExtensions.join(', ').replace(/, (?=[^,]*$)/, ' or ')} file (repeatable)`,
    ),
  }),
  ...plainFlags,
};

export const changeOutputFlags = {
  ...outputFlags,
  full: switchFlag('list each change and each risk instead of groups and counts'),
};

export const documentFlags = {
  ...formatFlag(['text', 'json'], 'output format of the result and of errors'),
  ...plainFlags,
};

export const onlyFlag = {
  only: listFlag(
    'glob',
    'limit to addresses or selectors, such as "workspace.*-prod", tag:canary or project:payments (repeatable)',
  ),
};

export const policyFlags = {
  policy: listFlag('file', 'also check the policies in this file (repeatable)'),
};

export const comparisonFlags = {
  ...rootFlags,
  ...appFlag,
  ...policyFlags,
  base: textFlag('ref', 'separate changes since this Git revision or ./folder from the others'),
  onlyChanged: switchFlag('with --base: plan only values in which the files and the base differ'),
  ...changeOutputFlags,
  notify: switchFlag('send messages about the result to the receivers under `notify`'),
};

export const connectionFlags = shared('Connection options:', {
  address: textFlag(
    'url',
    'address of the service, or `embedded` (overrides ATTUNE_ADDRESS and service.address)',
  ),
  parallelism: wholeNumberFlag(
    'n',
    'maximum number of concurrent requests (default: service.parallelism, else 10)',
    1,
  ),
  rate: positiveFlag(
    'n',
    'maximum number of requests per second (default: service.rate, else the limit that the service announces)',
  ),
  timeout: positiveFlag('seconds', 'timeout of each request attempt (default: service.timeout, else 30)'),
  retryFor: wholeNumberFlag(
    'seconds',
    'time to retry while the connection is refused or the service answers 502 to 504 (default: 30)',
    0,
  ),
  verbose: switchFlag('log each request to stderr'),
});

export const sharedFlags = { ...outputFlags, ...connectionFlags };

export const limitFlags = {
  maxDeletes: wholeNumberFlag('n', 'maximum number of deletions (overrides `limits`)', 0),
  maxRevokes: wholeNumberFlag('n', 'maximum number of revoked grants (overrides `limits`)', 0),
  maxUpdates: wholeNumberFlag('n', 'maximum number of updates (overrides `limits`)', 0),
};

/** The flags of a command that plans. Commands that never connect accept them, hidden, so that scripts can share flags. */
export const planningFlags = { ...onlyFlag, ...limitFlags, ...connectionFlags };

export const freezeFlags = {
  skipFrozen: switchFlag('apply what no freeze window selects; the rest stays held'),
  overrideFreeze: reasonFlag('also apply what a freeze window selects; the journal has the reason'),
};

export const dueFlag = {
  due: switchFlag('change only what time decides: ended access and ended exceptions'),
};

export const clockFlags = {
  at: timeFlag(
    'plan for another time, such as 2026-12-24T12:00:00Z, or the last second of a date; apply refuses such a plan',
  ),
};

export const snapshotFlag = {
  snapshot: textFlag('file', 'read the live state from this file of `attune snapshot`'),
};

export const journalFlags = {
  journal: textFlag('file', 'journal for `attune undo` (default: a new file in .attune/journal)'),
  noJournal: switchFlag('write no journal'),
};

export const watchFlags = {
  interval: durationFlag('time between two cycles, such as 90s, 10m or 1h (default: 10m)'),
  jitter: percentFlag('share by which the interval varies at random (default: 10%)'),
  heal: defaultedFlag('mode', 'changes that each cycle applies', healModes),
  listen: listenFlag('address of metrics, health and report (default: 127.0.0.1:8080)'),
  maxAge: durationFlag('read consumer lists, data retention and grants only this often'),
  once: switchFlag('run one cycle without a listener, and a second one if deletions wait for it'),
  noJournal: journalFlags.noJournal,
};

export const workspaceNames = {
  workspaces: listArgument('workspace names; * matches any characters'),
};

export const workspaceFlags = {
  name: listFlag('workspace', 'select workspaces with this name; * matches any characters (repeatable)'),
  tag: listFlag('tag', 'select workspaces with this tag (repeatable: all of the tags)'),
  project: listFlag(
    'project',
    'select workspaces of this project, by alias, name or ID (repeatable: any of the projects)',
  ),
  organization: textFlag('name', "organization (default: the root file's)"),
  config: textFlag(
    'file',
    'root file with the organization, address and aliases (default: attune.yaml if it exists)',
  ),
  ...formatFlag(['text', 'json']),
  ...plainFlags,
  ...connectionFlags,
};

export type WorkspaceFlags = FlagValues<typeof workspaceFlags>;

export const configFlag = {
  config: textFlag('file', 'root file, or a folder with an attune.yaml (default: attune.yaml)'),
};

export type SessionFlags = FlagValues<
  typeof comparisonFlags & typeof planningFlags & typeof freezeFlags & typeof clockFlags & typeof journalFlags
>;

/** The first format is the default. */
export function formatFlag<const Format extends string>(
  formats: readonly Format[],
  description = 'output format',
) {
  return { format: defaultedFlag('format', description, formats) };
}
