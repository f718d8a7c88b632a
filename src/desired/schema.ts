import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';

/** Both `src/desired` and `dist/desired` are two folders below the package's root. */
const schemaFile = new URL('../../schemas/attune.schema.json', import.meta.url);

export type FileRole = 'root' | 'included';
export type SchemaError = ErrorObject;

let validators: Record<FileRole, ValidateFunction> | undefined;

/** What the published schema says against a file's data. */
export function schemaErrors(data: unknown, role: FileRole): readonly SchemaError[] {
  validators ??= compile();
  const validate = validators[role];
  return validate(data) ? [] : (validate.errors ?? []);
}

function compile(): Record<FileRole, ValidateFunction> {
  const schema: unknown = JSON.parse(readFileSync(schemaFile, 'utf8'));
  // Verbose errors carry the part of the schema that speaks: its title and keys go into the message.
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    allowUnionTypes: true,
    strictTypes: false,
    strictRequired: false,
  });
  ajv.addSchema(schema as object, 'attune');
  return {
    root: ajv.compile({ $ref: 'attune' }),
    included: ajv.compile({ $ref: 'attune#/$defs/included-file' }),
  };
}
