import { reportFileExtensions, reportFormats } from '../report/report.ts';
import { healModes } from '../run/cycle/outcome.ts';
import { logFormats } from '../watch/log.ts';
import {
  defaultedFlag,
  durationFlag,
  type FlagValues,
  inGroup,
  listArgument,
  listenFlag,
  listFlag,
  percentFlag,
  positiveFlag,
  reasonFlag,
  shardFlag,
  switchFlag,
  textFlag,
  timeFlag,
  wholeNumberFlag,
} from './flag.ts';

/** The root files of a command. */
export const rootFiles = {
  files: listArgument('root files, or folders with an attune.yaml (default: attune.yaml)'),
};

export const appFlag = {
  app: textFlag('command', 'run this attune/constructs program and use the configuration that it declares'),
};

export const rootFlags = {
  shard: shardFlag(
    'i/n',
    'use only part I of N of the root files; an organization with several root files stays in one part',
  ),
};

export const plainFlags = inGroup('Output options:', {
  noColor: switchFlag('disable colors (same as NO_COLOR)'),
  quiet: switchFlag('hide progress'),
});

/** The flags of a command that prints a report. */
export const outputFlags = {
  ...formatFlag(reportFormats),
  ...inGroup('Output options:', {
    report: listFlag(
      'file',
      `also write the report to a ${reportFileExtensions.join(', ').replace(/, (?=[^,]*$)/, ' or ')} file (repeatable)`,
    ),
  }),
  ...plainFlags,
};

/** The flags of a command that reports changes. */
export const changeOutputFlags = {
  ...outputFlags,
  ...inGroup('Output options:', {
    full: switchFlag('list each change and each risk instead of groups and counts'),
  }),
};

/** The flags of a command that makes files and no report. */
export const documentFlags = {
  ...formatFlag(['text', 'json'], 'output format of the result and of errors'),
  ...plainFlags,
};

export const onlyFlag = {
  only: listFlag(
    'glob',
    'limit to these addresses or selectors; * matches any characters, ? one, as in "workspace.*-prod", tag:canary or project:payments (repeatable)',
  ),
};

/** The flags of a command that evaluates policies. */
export const policyFlags = {
  policy: listFlag(
    'file',
    'check the policies in this file, in addition to those of the configuration (repeatable)',
  ),
};

/** The flags of a command that plans root files, besides those of its connection. */
export const comparisonFlags = {
  ...rootFlags,
  ...appFlag,
  ...policyFlags,
  base: textFlag(
    'ref',
    'compare the files with this Git revision or folder (./folder), and separate their changes from earlier differences',
  ),
  onlyChanged: switchFlag('with --base: plan only values that the files and the base declare differently'),
  ...changeOutputFlags,
  ...inGroup('Output options:', {
    notify: switchFlag('send messages about the result to the receivers under `notify` in the root files'),
  }),
};

export const connectionFlags = inGroup('Connection options:', {
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
  timeout: positiveFlag(
    'seconds',
    'timeout of each request attempt in seconds (default: service.timeout, else 30)',
  ),
  retryFor: wholeNumberFlag(
    'seconds',
    'time to retry while the connection is refused or the service answers 502 to 504, in seconds (default: 30)',
    0,
  ),
  verbose: switchFlag('log each request to stderr'),
});

/** What a run that writes may delete, revoke and update. */
export const limitFlags = {
  maxDeletes: wholeNumberFlag(
    'n',
    'maximum number of deletions (overrides limits.deletes and limits.delete-percent)',
    0,
  ),
  maxRevokes: wholeNumberFlag('n', 'maximum number of revoked grants (overrides limits.revokes)', 0),
  maxUpdates: wholeNumberFlag(
    'n',
    'maximum number of updates (overrides limits.updates and limits.update-percent)',
    0,
  ),
};

/** The flags of a command that plans. Commands that never connect accept them, hidden, so that scripts can share flags. */
export const planningFlags = { ...onlyFlag, ...limitFlags, ...connectionFlags };

/** The flags of a command that applies plans in spite of freeze windows. */
export const freezeFlags = {
  skipFrozen: switchFlag('apply what no freeze window selects; the rest stays held'),
  overrideFreeze: reasonFlag('apply what is frozen, too; the reason is in the journal and the report'),
};

/** The flags of a command that plans and writes nothing. */
export const clockFlags = {
  at: timeFlag('plan for another time than now, as 2026-12-24T12:00:00Z; such a plan cannot be applied'),
};

/** The flags of a command that applies plans. */
export const journalFlags = {
  journal: textFlag(
    'file',
    'write the journal, for `attune undo`, to this file (default: a new file in .attune/journal, beside the root file)',
  ),
  noJournal: switchFlag('write no journal'),
};

/** The flags that only `watch` has. */
export const watchFlags = {
  interval: durationFlag('time between two cycles, such as 90s, 10m or 1h (default: 10m)'),
  jitter: percentFlag('share by which the interval varies at random (default: 10%)'),
  heal: defaultedFlag(
    'mode',
    'changes to apply; update neither deletes nor revokes, all applies the whole plan',
    healModes,
  ),
  listen: listenFlag('address of the metrics, the health endpoints and the report (default: 127.0.0.1:8080)'),
  maxAge: durationFlag(
    'keep consumer lists, data retention and grants for this long instead of reading them in each cycle',
  ),
  once: switchFlag(
    'run one cycle without a listener, and a second one if deletions wait for it; exits with 1 if the last one fails',
  ),
  ...inGroup('Output options:', {
    logFormat: defaultedFlag('format', 'format of the log on stderr', logFormats),
  }),
  noJournal: journalFlags.noJournal,
};

/** The arguments of commands on workspaces. */
export const workspaceNames = {
  workspaces: listArgument('workspace names; * matches any characters'),
};

/** The flags of commands on workspaces that are named on the command line. */
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

/** The root file of a command that takes addresses. */
export const configFlag = {
  config: textFlag('file', 'root file, or a folder with an attune.yaml (default: attune.yaml)'),
};

/** The flags that several commands share. */
export type SessionFlags = FlagValues<
  typeof comparisonFlags & typeof planningFlags & typeof freezeFlags & typeof clockFlags & typeof journalFlags
>;

/** The first format is the default. */
export function formatFlag<const Format extends string>(
  formats: readonly Format[],
  description = 'output format',
) {
  return inGroup('Output options:', { format: defaultedFlag('format', description, formats) });
}
