import { expect, test } from 'vitest';
import { configurationSchema } from '../../src/desired/schema/language.ts';
import { isRecord } from '../../src/model/value.ts';
import { everyKey } from './typed-mutations.ts';

const { properties, $defs } = JSON.parse(JSON.stringify(configurationSchema()));
// Only the program of --app writes `synthesized`.
const { synthesized: _synthesized, ...sections } = properties;
const { place: _place, problem: _problem, ...definitions } = $defs;

/** The keys below any `properties` of a schema. */
function keysOf(part: unknown): readonly string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([keyword, inner]) => [
    ...(keyword === 'properties' && isRecord(inner) ? Object.keys(inner) : []),
    ...keysOf(inner),
  ]);
}

function keysIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(keysIn)];
}

test('the configuration with every key has each key of the schema', () => {
  const has = new Set(keysIn(everyKey));
  const keys = new Set(keysOf({ properties: sections, definitions }));
  expect([...keys].filter((key) => !has.has(key))).toEqual([]);
  expect(keys.size).toBeGreaterThan(100);
});
