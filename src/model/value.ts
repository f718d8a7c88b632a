/** Plain data that both YAML and JSON can represent. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

/** Values of one resource by path, under the neutral names. */
export type Values = Readonly<Record<string, Value>>;

/** True for a mapping, as opposed to a list or a scalar. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a list of texts. */
export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** The entries of a list as texts; none for another value. */
export function listTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** Sorts by code unit, so that the order is the same on every machine, and removes duplicates. */
export function sortedSet(values: Iterable<string>): string[] {
  return [...new Set(values)].sort();
}

/** For `sort`: by code unit, as {@link sortedSet}. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Whether two pieces of plain data are the same. The order of a list matters, that of the keys of a mapping does not. */
export function sameValue(a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameValue(item, b[index]));
  }
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
