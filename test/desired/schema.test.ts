import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { workspaceAttributes } from '../../src/model/attribute-table.ts';
import { workspaceRelations } from '../../src/model/attributes.ts';
import { dialects } from '../../src/model/dialect.ts';
import { accessLevels, type PermissionSpec, permissions } from '../../src/model/permissions.ts';
import type { AttributeSpec } from '../../src/model/rows.ts';

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly examples?: readonly unknown[];
  readonly defaultSnippets?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const root = JSON.parse(
  readFileSync(new URL('../../schemas/attune.schema.json', import.meta.url), 'utf8'),
) as Schema;

function definition(name: string): Schema {
  return resolve(root.$defs?.[name] ?? fail(name));
}

/** The target of a reference. */
function resolve(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const steps = schema.$ref.split('/').slice(1);
  return resolve(steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], root) as Schema);
}

function property(schema: Schema, path: string): Schema {
  return path.split('.').reduce((at, key) => resolve(at.properties?.[key] ?? fail(path)), schema);
}

function fail(what: string): never {
  throw new Error(`the schema has no ${what}`);
}

const attributes = Object.entries(workspaceAttributes) as [string, AttributeSpec][];
const layers = ['workspace', 'template', 'workspace-defaults'];
const ownKeys = ['extends', 'unmanaged', 'state', 'delete', 'renamed-from', 'protect'];

describe('the schema matches the attribute table', () => {
  test.each(attributes)('the schema has the attribute %s as the attribute table has it', (path, spec) => {
    for (const layer of layers) {
      const schema = property(definition(layer), path);
      const base = { string: ['string'], boolean: ['boolean'], strings: ['array', 'object'] }[spec.type];
      expect([schema.type].flat()).toEqual(spec.nullable ? [...base, 'null'] : base);
      expect(schema.default).toEqual(spec.default === null ? undefined : spec.default);
      expect(schema.enum).toEqual(spec.values);
      if (spec.pattern) expect(schema.pattern).toBe(spec.pattern.source);
      if (spec.type === 'strings') expect(schema.items?.type).toBe('string');
    }
  });

  test('the schema has no other keys of a workspace than the attribute table', () => {
    const names = new Set(attributes.map(([path]) => path.replace(/\..*/, '')));
    const keys = (layer: string) => Object.keys(definition(layer).properties ?? {}).sort();
    expect(keys('workspace')).toEqual([...ownKeys, ...workspaceRelations, ...names].sort());
    expect(keys('template')).toEqual(
      ['extends', 'protect', 'unmanaged', 'when', ...workspaceRelations, ...names].sort(),
    );
    expect(keys('workspace-defaults')).toEqual(['protect', ...workspaceRelations, ...names].sort());
    for (const nested of ['vcs-repo', 'setting-overwrites'])
      expect(Object.keys(property(definition('workspace'), nested).properties ?? {}).sort()).toEqual(
        attributes
          .flatMap(([path]) => (path.startsWith(`${nested}.`) ? path.slice(nested.length + 1) : []))
          .sort(),
      );
  });
});

describe('the schema matches the permission table', () => {
  test.each(Object.entries(permissions) as [string, PermissionSpec][])(
    'the schema has the permission %s as the permission table has it',
    (path, spec) => {
      const schema = property(definition('grant'), path);
      if (typeof spec.customDefault === 'boolean') expect(schema.type).toBe('boolean');
      else expect(schema.enum).toEqual(spec.values);
      expect(schema.default).toBe(spec.customDefault);
    },
  );

  test('the schema has the levels and no other permission than the permission table', () => {
    expect(definition('role').properties?.access?.enum).toEqual(accessLevels);
    expect(definition('level').examples).toEqual([...accessLevels, 'none']);
    const paths = ['project-access', 'workspace-access'].flatMap((group) =>
      Object.keys(property(definition('grant'), group).properties ?? {}).map((key) => `${group}.${key}`),
    );
    expect(paths).toEqual(Object.keys(permissions));
  });
});

test('the schema is a valid JSON Schema without unused keywords', () => {
  const ajv = new Ajv2020({
    strict: true,
    keywords: ['defaultSnippets', 'errorMessage'],
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
  });
  expect(ajv.validateSchema(root)).toBe(true);
  expect(() => ajv.compile(root)).not.toThrow();
});

test('the schema has the dialects of the service', () => {
  expect(property(definition('service'), 'dialect').enum).toEqual(dialects);
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
    schema.defaultSnippets !== undefined ||
    types.every((type) => type === 'boolean' || type === 'object');
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

test('every key has an example, an enumeration or a snippet for editors', () => {
  expect(withoutHints(root, '')).toEqual([]);
});
