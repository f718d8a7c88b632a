import { expect, test } from 'vitest';
import { configurationSchema } from '../../src/desired/schema/language.ts';
import { isRecord } from '../../src/model/value.ts';
import { everyKey } from './typed-mutations.ts';

type Schema = Readonly<Record<string, unknown>>;

const schema = JSON.parse(JSON.stringify(configurationSchema())) as Schema;

interface Place {
  readonly part: Schema;
  /** Where the part is in the schema. */
  readonly at: string;
}

/** The part, the parts that it refers to, and those that it is any of. */
function* alternatives({ part, at }: Place): Generator<Place> {
  yield { part, at };
  if (typeof part.$ref === 'string') yield* alternatives(referred(part.$ref));
  for (const keyword of ['anyOf', 'oneOf', 'allOf'])
    for (const [index, one] of schemasIn(part[keyword]))
      yield* alternatives({ part: one, at: `${at}/${keyword}/${index}` });
}

function referred(reference: string): Place {
  const part = reference
    .split('/')
    .slice(1)
    .reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), schema);
  if (!isRecord(part)) throw new Error(`the schema has no ${reference}`);
  return { part, at: reference };
}

function schemasIn(parts: unknown): [string, Schema][] {
  if (typeof parts !== 'object' || parts === null) return [];
  return Object.entries(parts).filter((entry): entry is [string, Schema] => isRecord(entry[1]));
}

/** The parts of the members of a part: of its keys, of all other keys, and of its items. */
function members({
  part,
  at,
}: Place): readonly (Place & { readonly key?: string; readonly isItem?: true })[] {
  return [
    ...schemasIn(part.properties).map(([key, inner]) => ({
      key,
      part: inner,
      // A template has the key of a workspace.
      at: isKeyOf(inner.$ref, key) ? inner.$ref : `${at}/properties/${key}`,
    })),
    ...schemasIn({ '*': part.additionalProperties }).map(([key, inner]) => ({
      part: inner,
      at: `${at}/${key}`,
    })),
    ...schemasIn(part.patternProperties).map(([, inner]) => ({ part: inner, at: `${at}/*` })),
    ...schemasIn({ items: part.items }).map(([key, inner]) => ({
      part: inner,
      at: `${at}/${key}`,
      isItem: true as const,
    })),
  ];
}

function isKeyOf(reference: unknown, key: string): reference is string {
  return typeof reference === 'string' && reference.endsWith(`/properties/${key}`);
}

/** The keys of the schema, each once, however many places refer to its part. */
function keysOf(place: Place, found = new Set<string>(), seen = new Set<string>()): ReadonlySet<string> {
  for (const one of alternatives(place)) {
    const step = `${one.at} ${one.part.$ref}`;
    if (seen.has(step)) continue;
    seen.add(step);
    for (const member of members(one)) {
      if (member.key !== undefined) found.add(member.at);
      keysOf(member, found, seen);
    }
  }
  return found;
}

/** The keys of the schema that a document has. */
function keysIn(document: unknown, place: Place, found = new Set<string>()): ReadonlySet<string> {
  for (const one of alternatives(place))
    for (const member of members(one))
      for (const [key, value] of valuesFor(document, member, one)) {
        if (member.key === key) found.add(member.at);
        keysIn(value, member, found);
      }
  return found;
}

function valuesFor(
  document: unknown,
  { key, isItem }: ReturnType<typeof members>[number],
  { part }: Place,
): [string, unknown][] {
  if (Array.isArray(document) || !isRecord(document))
    return isItem && Array.isArray(document) ? Object.entries(document) : [];
  const own = isRecord(part.properties) ? part.properties : {};
  return Object.entries(document).filter(([name]) =>
    isItem ? false : key === undefined ? !Object.hasOwn(own, name) : name === key,
  );
}

test('the configuration with every key has each key of the schema', () => {
  const root = { part: schema, at: '#' };
  const has = keysIn(everyKey, root);
  // Only the program of --app writes `synthesized`.
  const missing = [...keysOf(root)].filter(
    (key) => !has.has(key) && !/^#\/(properties\/synthesized|\$defs\/(place|problem)\/)/.test(key),
  );
  expect(missing).toEqual([]);
  expect(has.size).toBeGreaterThan(140);
});
