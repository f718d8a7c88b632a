/** Plain data that both YAML and JSON can represent. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

/** Values of one resource by path, under the neutral names. */
export type Values = Readonly<Record<string, Value>>;

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** The result of a function; `undefined` if it throws. */
export function attempt<Result>(compute: () => Result): Result | undefined {
  try {
    return compute();
  } catch {
    return undefined;
  }
}

/** `undefined` if the text is not JSON; the error of the parser would quote it. */
export function jsonIn(text: string): unknown {
  return attempt(() => JSON.parse(text));
}

export function listTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

export function noneIfEmpty<Item>(items: readonly Item[] | undefined): readonly Item[] | undefined {
  return items?.length ? items : undefined;
}

type Defined<Members> = {
  [Key in keyof Members as undefined extends Members[Key] ? never : Key]: Members[Key];
} & {
  [Key in keyof Members as undefined extends Members[Key] ? Key : never]?: Exclude<Members[Key], undefined>;
};

export function withoutUndefined<Members extends object>(members: Members): Defined<Members> {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as Defined<Members>;
}

export function pick(values: Values, paths: readonly string[]): Values {
  return Object.fromEntries(
    paths.flatMap((path) => (values[path] === undefined ? [] : [[path, values[path]]])),
  );
}

/** Sorts by code unit, so that the order is the same on every machine, and removes duplicates. */
export function sortedSet(values: Iterable<string>): string[] {
  return [...new Set(values)].sort();
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Whether two pieces of plain data are the same. The order of a list matters, that of the keys of a mapping does not. */
export function sameValue(a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => sameValue(item, b[index]));
  if (isRecord(a) && isRecord(b)) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && sameValue(a[key] as Value, b[key] as Value))
    );
  }
  return false;
}

/** `Map.groupBy`, which Node 20 does not have yet. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Computes the result of each argument once. */
export function remembered<Argument, Result>(
  compute: (argument: Argument) => Result,
): (argument: Argument) => Result {
  const results = new Map<string, Result>();
  return (argument) => {
    const key = JSON.stringify(argument);
    if (!results.has(key)) results.set(key, compute(argument));
    return results.get(key) as Result;
  };
}

/** JSON with sorted keys and no spaces: the same data gives the same bytes. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

export function canonicalDigest(document: unknown): string {
  // Not every command needs a digest, and loading the module takes a fifth of a start.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return `sha256:${createHash('sha256').update(canonicalJson(document)).digest('hex')}`;
}

/** A date, or a timestamp with a time zone. */
export const momentPattern = /^\d{4}-\d{2}-\d{2}([Tt]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2}))?$/;

/** A point in time as a file writes it. */
export interface Moment {
  readonly written: string;
  /** In milliseconds since 1970. */
  readonly time: number;
}

export const day = 86_400_000;

/** The moment that a text means. A date is its end in UTC. `undefined` if there is no such date or time. */
export function momentOf(written: string): Moment | undefined {
  if (!isRealTime(written)) return undefined;
  const time = new Date(written).getTime();
  return { written, time: /t/i.test(written) ? time : time + day };
}

function isRealTime(text: string): boolean {
  if (Number.isNaN(new Date(text).getTime())) return false;
  const date = text.slice(0, 10);
  const midnight = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date);
}

export function printTime(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}
