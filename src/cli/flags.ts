import { momentOf, momentPattern } from '../model/value.ts';
import { reportFileExtensions, reportFormats } from '../report/report.ts';
import {
  defaultedFlag,
  type FlagValues,
  listFlag,
  parsedFlag,
  positiveFlag,
  shared,
  switchFlag,
  textFlag,
  wholeNumberFlag,
} from './flag.ts';

export const appFlag = {
  app: textFlag('command', 'use the configuration that this attune/constructs program declares'),
};

export const rootFlags = {
  shard: parsedFlag(
    'i/n',
    'use part I of N of the root files, divided by organization',
    'Allowed are I/N with whole numbers and I from 1 to N, as in 3/10.',
    (text) => {
      const [index = 0, count = 0] = /^(\d+)\/(\d+)$/.exec(text)?.slice(1).map(Number) ?? [];
      return index >= 1 && index <= count && Number.isSafeInteger(count) ? { index, count } : undefined;
    },
  ),
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
  overrideFreeze: parsedFlag(
    'reason',
    'also apply what a freeze window selects; the journal has the reason',
    'A reason is required.',
    (text) => (text.trim() === '' ? undefined : text),
  ),
};

export const dueFlag = {
  due: switchFlag('change only what time decides: ended access and ended exceptions'),
};

export const clockFlags = {
  at: parsedFlag(
    'time',
    'plan for another time, such as 2026-12-24T12:00:00Z, or the last second of a date; apply refuses such a plan',
    'Allowed are dates, as 2026-12-24, and times with a zone, as 2026-12-24T12:00:00Z.',
    (text) => {
      const moment = momentPattern.test(text) ? momentOf(text) : undefined;
      // A date is its last second in UTC: what lasts until that day is still there.
      return moment && new Date(moment.time - (text.includes(':') ? 0 : 1000));
    },
  ),
};

export const journalFlags = {
  journal: textFlag('file', 'journal for `attune undo` (default: a new file in .attune/journal)'),
  noJournal: switchFlag('write no journal'),
};

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
