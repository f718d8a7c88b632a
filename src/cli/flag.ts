import { Argument, InvalidArgumentError, Option } from 'commander';
import { momentOf, momentPattern } from '../model/value.ts';
import type { RunOptions } from '../run/context.ts';

declare const valueType: unique symbol;

/** A flag. Its name is its key in the definition of a command: `maxDeletes` is `--max-deletes`. */
export interface Flag<Value> {
  readonly description: string;
  readonly placeholder?: string;
  readonly choices?: readonly string[];
  readonly isHidden?: boolean;
  /** The heading of a shared flag in `attune help options`; absent for a flag that the help of its command lists. */
  readonly group?: string;
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

function parsedFlag<Value>(
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

export function shardFlag(placeholder: string, description: string): Flag<Required<RunOptions>['shard']> {
  const allowed = 'Allowed are I/N with whole numbers and I from 1 to N, as in 3/10.';
  return parsedFlag(placeholder, description, allowed, (text) => {
    const [index = 0, count = 0] = /^(\d+)\/(\d+)$/.exec(text)?.slice(1).map(Number) ?? [];
    return index >= 1 && index <= count && Number.isSafeInteger(count) ? { index, count } : undefined;
  });
}

export function positiveFlag(placeholder: string, description: string): Flag<number> {
  return parsedFlag(placeholder, description, 'Allowed are numbers above 0.', (text) =>
    /^\d+(\.\d+)?$/.test(text) && Number(text) > 0 ? Number(text) : undefined,
  );
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration with its unit, such as `90s`; the value is in milliseconds. */
export function durationFlag(description: string): Flag<number> {
  const allowed = 'Allowed are durations up to 24d with a unit, such as 30s, 10m, 1h or 1d.';
  return parsedFlag('duration', description, allowed, (text) => {
    const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
    const value = Number(amount) * (units[unit] ?? 0);
    // Node fires a timer with a longer delay at once.
    return value > 0 && value <= 24 * 86_400_000 ? value : undefined;
  });
}

export function reasonFlag(description: string): Flag<string> {
  return parsedFlag('reason', description, 'A reason is required.', (text) =>
    text.trim() === '' ? undefined : text,
  );
}

/** A time with its zone, or a date, which is its last second in UTC: what lasts until that day is still there. */
export function timeFlag(description: string): Flag<Date> {
  const allowed = 'Allowed are dates, as 2026-12-24, and times with a zone, as 2026-12-24T12:00:00Z.';
  return parsedFlag('time', description, allowed, (text) => {
    const moment = momentPattern.test(text) ? momentOf(text) : undefined;
    return moment && new Date(moment.time - (text.includes(':') ? 0 : 1000));
  });
}

export function percentFlag(description: string): Flag<number> {
  const allowed = 'Allowed are percentages from 0% to 99%, such as 10%.';
  return parsedFlag('percent', description, allowed, (text) => {
    const value = Number(/^(\d+(?:\.\d+)?)%$/.exec(text)?.[1]) / 100;
    return value >= 0 && value < 1 ? value : undefined;
  });
}

export function listenFlag(description: string): Flag<{ readonly host: string; readonly port: number }> {
  const allowed = 'Allowed are a host and a port, such as 127.0.0.1:8080 or [::1]:8080.';
  return parsedFlag('host:port', description, allowed, (text) => {
    const [, ipv6, name = '', port = ''] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
    const host = ipv6 ?? name;
    return host !== '' && Number(port) <= 65_535 ? { host, port: Number(port) } : undefined;
  });
}

export function shared<Flags extends FlagSet>(group: string, flags: Flags): Flags {
  const entries = Object.entries(flags).map(([name, flag]) => [name, { ...flag, group }]);
  return Object.fromEntries(entries);
}

export function hidden<Flags extends FlagSet>(flags: Flags): Flags {
  const entries = Object.entries(flags).map(([name, flag]) => [
    name,
    { ...flag, isHidden: true, group: undefined },
  ]);
  return Object.fromEntries(entries);
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

export interface Positional<Value> {
  readonly description: string;
  readonly form: 'required' | 'optional' | 'list' | 'required-list';
  readonly choices?: readonly string[] | undefined;
  readonly default?: Value;
  readonly [valueType]?: Value;
}

export type ArgumentSet = Readonly<Record<string, Positional<unknown>>>;

export type ArgumentValues<Arguments extends ArgumentSet> = {
  readonly [Name in keyof Arguments]: ValueOf<Arguments[Name]>;
};

export function requiredArgument<const Choice extends string = string>(
  description: string,
  choices?: readonly Choice[],
): Positional<Choice> {
  return { description, form: 'required', choices };
}

export function optionalArgument(description: string): Positional<string | undefined> {
  return { description, form: 'optional' };
}

export function defaultedArgument(description: string, value: string): Positional<string> {
  return { description, form: 'optional', default: value };
}

export function listArgument(description: string): Positional<readonly string[]> {
  return { description, form: 'list' };
}

export function requiredListArgument(description: string): Positional<readonly string[]> {
  return { description, form: 'required-list' };
}

export function argumentOf(
  name: string,
  { form, description, choices, ...rest }: Positional<unknown>,
): Argument {
  const forms = {
    required: `<${name}>`,
    optional: `[${name}]`,
    list: `[${name}...]`,
    'required-list': `<${name}...>`,
  } as const;
  const argument = new Argument(forms[form], description);
  if (choices) argument.choices(choices);
  return 'default' in rest ? argument.default(rest.default) : argument;
}
