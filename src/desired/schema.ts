import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';

/** Both `src/desired` and `dist/desired` are two folders below the package's root. */
const schemaFile = new URL('../../schemas/attune.schema.json', import.meta.url);

export type FileRole = 'root' | 'included';
export type SchemaError = ErrorObject;

/** The sections that grow with an organization. */
export const entrySections = ['templates', 'workspaces', 'team-access'] as const;
export type EntrySection = (typeof entrySections)[number];

type Part = FileRole | EntrySection;

let validators: Readonly<Record<Part, ValidateFunction>> | undefined;

/** What the published schema says against a whole file, or against one of its sections. */
export function schemaErrors(data: unknown, part: Part): readonly SchemaError[] {
  validators ??= compile();
  const validate = validators[part];
  return validate(data) ? [] : (validate.errors ?? []);
}

function compile(): Readonly<Record<Part, ValidateFunction>> {
  const schema: unknown = JSON.parse(readFileSync(schemaFile, 'utf8'));
  // That the schema is one is for the tests to see, not for every start.
  const trusted = { meta: false, validateSchema: false };
  // Verbose errors carry the part of the schema that speaks: its title and keys go into the message.
  const ajv = new Ajv2020({
    ...trusted,
    allErrors: true,
    verbose: true,
    allowUnionTypes: true,
    strictTypes: false,
    strictRequired: false,
  });
  ajv.addSchema(schema as object, 'attune');
  const definition = (name: string) => ajv.compile({ $ref: `attune#/$defs/${name}` });
  return {
    root: ajv.compile({ $ref: 'attune' }),
    included: definition('included-file'),
    templates: definition('templates'),
    workspaces: definition('workspaces'),
    'team-access': definition('team-access'),
  };
}
