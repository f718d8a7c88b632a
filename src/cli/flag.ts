import { InvalidArgumentError, Option } from 'commander';

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
