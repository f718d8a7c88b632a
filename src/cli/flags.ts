import { InvalidArgumentError, Option } from 'commander';
import { momentOf, momentPattern } from '../model/value.ts';
import { reportExtensions, reportFormats } from '../report/report.ts';

export const reportFileExtensions = Object.values(reportExtensions).filter((one) => one !== undefined);

declare const valueType: unique symbol;

/** A flag. Its name is its key in the definition of a command: `maxDeletes` is `--max-deletes`. */
export interface Flag<Value> {
  readonly description: string;
  readonly placeholder?: string;
  readonly choices?: readonly string[];
  readonly isHidden?: boolean;
  /** The heading of a shared flag in `attune help options`; absent for a flag that the help of its command lists. */
  readonly group?: string | undefined;
  parse?(text: string, previous: Value | undefined): Value;
  readonly [valueType]?: Value;
}

export interface DefaultedFlag<Value> extends Flag<Value> {
  readonly default: Value;
}

export type FlagSet = Readonly<Record<string, Flag<unknown>>>;

type ValueOf<Given> = Given extends { readonly [valueType]?: infer Value } ? Value : never;
type DefaultedNames<Flags> = {
  [Name in keyof Flags]: Flags[Name] extends DefaultedFlag<unknown> ? Name : never;
}[keyof Flags];

export type FlagValues<Flags extends FlagSet> = {
  readonly [Name in DefaultedNames<Flags>]: ValueOf<Flags[Name]>;
} & {
  readonly [Name in Exclude<keyof Flags, DefaultedNames<Flags>>]?: ValueOf<Flags[Name]>;
};

export function switchFlag(description: string): Flag<boolean> {
  return { description };
}

export function textFlag(placeholder: string, description: string): Flag<string> {
  return { placeholder, description };
}

export function listFlag(placeholder: string, description: string): Flag<readonly string[]> {
  return { placeholder, description, parse: (text, previous = []) => [...previous, text] };
}

export function choiceFlag<const Choice extends string>(
  placeholder: string,
  description: string,
  choices: readonly Choice[],
): Flag<Choice> {
  return { placeholder, description, choices };
}

export function defaultedFlag<const Choice extends string>(
  placeholder: string,
  description: string,
  choices: readonly Choice[],
): DefaultedFlag<Choice> {
  return { placeholder, description, choices, default: choices[0] as Choice };
}

export function parsedFlag<Value>(
  placeholder: string,
  description: string,
  allowed: string,
  parse: (text: string) => Value | undefined,
): Flag<Value> {
  const check = (text: string) => {
    const value = parse(text);
    if (value === undefined) throw new InvalidArgumentError(allowed);
    return value;
  };
  return { placeholder, description, parse: check };
}

export function wholeNumberFlag(placeholder: string, description: string, least: number): Flag<number> {
  return parsedFlag(placeholder, description, `Allowed are whole numbers from ${least}.`, (text) =>
    /^\d+$/.test(text) && Number.isSafeInteger(Number(text)) && Number(text) >= least
      ? Number(text)
      : undefined,
  );
}

export function positiveFlag(placeholder: string, description: string): Flag<number> {
  return parsedFlag(placeholder, description, 'Allowed are numbers above 0.', (text) =>
    /^\d+(\.\d+)?$/.test(text) && Number(text) > 0 ? Number(text) : undefined,
  );
}

function withEach<Flags extends FlagSet>(flags: Flags, changed: Partial<Flag<unknown>>): Flags {
  const entries = Object.entries(flags).map(([name, flag]) => [name, { ...flag, ...changed }]);
  return Object.fromEntries(entries);
}

function shared<Flags extends FlagSet>(group: string, flags: Flags): Flags {
  return withEach(flags, { group });
}

export function hidden<Flags extends FlagSet>(flags: Flags): Flags {
  return withEach(flags, { isHidden: true, group: undefined });
}

export function flagName(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function optionOf(name: string, flag: Flag<unknown>): Option {
  const { placeholder, description, choices, isHidden, group, parse } = flag;
  const long = flagName(name);
  const option = new Option(placeholder === undefined ? long : `${long} <${placeholder}>`, description);
  if (choices) option.choices(choices);
  if (parse) option.argParser(parse);
  if (group !== undefined) option.helpGroup(group);
  // Without this, commander takes `--no-journal` as the opposite of `--journal FILE`.
  option.negate = false;
  if ('default' in flag) option.default(flag.default);
  return option.hideHelp(isHidden || group !== undefined);
}

export function isShared({ hidden: isLeftOut, helpGroupHeading }: Option): boolean {
  return isLeftOut && helpGroupHeading !== undefined;
}

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

export const policyFlags = { policy: listFlag('file', 'also check the policies in this file (repeatable)') };

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

export const planningFlags = { ...onlyFlag, ...limitFlags, ...connectionFlags };

/** Commands that never connect accept what changes no result of theirs, so that scripts can share flags. */
export const ignoredFlags = hidden({ ...limitFlags, ...connectionFlags });

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
