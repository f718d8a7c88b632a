import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { schemaErrors } from '../../src/model/schema-errors.ts';
import { everyKey, otherTypes, pathsIn, withValue } from '../desired/typed-mutations.ts';
import { cases, sample } from '../support/cases.ts';

const published = JSON.parse(
  readFileSync(new URL('../../schemas/attune.schema.json', import.meta.url), 'utf8'),
);

/** Every keyword that the published schemas have, over values that each of them accepts or refuses. */
const everyKeyword = JSON.parse(`{
  "$defs": {
    "deep": {"properties": {"a": {"type": ["string", "null"], "minLength": 2}}},
    "tree": {"type": "object", "additionalProperties": {"$ref": "#/$defs/tree"}, "maxProperties": 1}
  },
  "type": ["object", "array", "integer", "boolean", "string"],
  "minimum": 1, "maximum": 3, "exclusiveMinimum": 1.5,
  "pattern": "^[a-c]+$", "minLength": 1,
  "minItems": 1, "uniqueItems": true, "items": {"$ref": "#/$defs/deep/properties/a"},
  "required": ["a", "b"], "minProperties": 1, "maxProperties": 2,
  "propertyNames": {"pattern": "^[abcd]$"},
  "properties": {
    "a": {"type": "number", "enum": [1, 2, "a"]},
    "b": {"const": "a", "if": {"type": "string"}, "then": {"minLength": 2}, "else": {"type": "number"}},
    "c": {"$ref": "#/$defs/tree"}
  },
  "additionalProperties": false,
  "dependentSchemas": {"a": {"properties": {"b": {"type": "string"}}, "additionalProperties": true}},
  "anyOf": [{"required": ["a"]}, {"type": "array", "minItems": 2}],
  "oneOf": [{"minProperties": 2}, {"maxProperties": 1}]
}`);

/** What Ajv reports, in the terms of Attune. It reports a condition and the names of keys twice. */
function errorsOfAjv(schema: object): (data: unknown) => readonly string[] {
  const validate = new Ajv2020({ strict: false, allErrors: true }).compile(schema);
  return (data) => {
    validate(data);
    return (validate.errors ?? [])
      .filter(({ keyword, propertyName }) => keyword !== 'if' && propertyName === undefined)
      .map(({ keyword, instancePath, params }) => {
        const { missingProperty, additionalProperty, propertyName } = params;
        return [keyword, instancePath, missingProperty ?? additionalProperty ?? propertyName].join(' ');
      })
      .sort();
  };
}

function errorsOfOurs(schema: object, data: unknown): readonly string[] {
  return schemaErrors({ ...schema }, data)
    .map(({ keyword, path, key }) => [keyword, path.map((step) => `/${step}`).join(''), key].join(' '))
    .sort();
}

test('the errors of any data are those of Ajv, keyword by keyword', () => {
  const expected = errorsOfAjv(everyKeyword);
  const leaf = fc.constantFrom<unknown>(0, 1, 2, 2.5, 9, true, null, '', 'a', 'ab', 'abd');
  const { data } = fc.letrec<{ data: unknown }>((tie) => ({
    data: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie('data'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), tie('data'), {
        maxKeys: 4,
        noNullPrototype: true,
      }),
    ),
  }));
  fc.assert(
    fc.property(data, (value) => {
      expect(errorsOfOurs(everyKeyword, value)).toEqual(expected(value));
    }),
    cases({ fast: 500, soak: 50_000 }),
  );
});

test('the errors of a configuration with a value of another type in any place are those of Ajv', () => {
  const expected = errorsOfAjv(published);
  const documents = pathsIn(everyKey).flatMap((path) =>
    otherTypes.map((value) => withValue(everyKey, path, value)),
  );
  for (const document of sample(documents, 1000))
    expect(errorsOfOurs(published, document), JSON.stringify(document)).toEqual(expected(document));
});

test('a key whose value was wrong and is undefined is neither missing nor wrong', () => {
  const schema = { required: ['a'], properties: { a: { type: 'string' } }, additionalProperties: false };
  expect(schemaErrors(schema, { a: undefined })).toEqual([]);
});
