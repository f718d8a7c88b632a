import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly examples?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const root = JSON.parse(
  readFileSync(new URL('../../schemas/attune.schema.json', import.meta.url), 'utf8'),
) as Schema;

/** The target of a reference. */
function resolve(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const steps = schema.$ref.split('/').slice(1);
  return resolve(steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], root) as Schema);
}

test('the schema is a valid JSON Schema without unused keywords', () => {
  const ajv = new Ajv2020({
    strict: true,
    keywords: ['errorMessage'],
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
  });
  expect(ajv.validateSchema(root)).toBe(true);
  expect(() => ajv.compile(root)).not.toThrow();
});

test('every key of the schema has a description', () => {
  const missing: string[] = [];
  const visit = (schema: Schema, path: string): void => {
    for (const [key, child] of Object.entries(schema.properties ?? {})) {
      if (resolve(child).description === undefined) missing.push(`${path}.${key}`);
      visit(child, `${path}.${key}`);
    }
    if (typeof schema.additionalProperties === 'object') visit(schema.additionalProperties, `${path}.*`);
  };
  visit(root, '');
  for (const [name, schema] of Object.entries(root.$defs ?? {})) visit(schema, name);
  expect(missing).toEqual([]);
});

/** Parts that `app.synth()` writes and no user edits. */
const internal = /^(\/properties\/synthesized|\/\$defs\/(place|problem))(\/|$)/;

/** The keys for which an editor has nothing to offer. */
function withoutHints(schema: Schema, path: string): string[] {
  if (internal.test(path) || schema.$ref !== undefined) return [];
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
  const isOffered =
    schema.enum !== undefined ||
    schema.const !== undefined ||
    schema.examples !== undefined ||
    types.every((type) => type !== 'string' && type !== 'number' && type !== 'integer');
  const inside = (parts: Readonly<Record<string, Schema>> = {}, name: string) =>
    Object.entries(parts).flatMap(([key, part]) => withoutHints(part, `${path}/${name}/${key}`));
  const { additionalProperties: rest } = schema;
  return [
    ...(isOffered ? [] : [path]),
    ...inside(schema.properties, 'properties'),
    ...inside(schema.$defs, '$defs'),
    ...(typeof rest === 'object' ? withoutHints(rest, `${path}/*`) : []),
    ...(schema.items ? withoutHints(schema.items, `${path}/items`) : []),
  ];
}

test('every key has an example or an enumeration for editors', () => {
  expect(withoutHints(root, '')).toEqual([]);
});
