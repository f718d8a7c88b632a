import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';

const schemas = join(import.meta.dirname, '..', '..', 'schemas');
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, validateFormats: false });
const schemaOf = (name: string) =>
  ajv.compile(JSON.parse(readFileSync(join(schemas, `${name}.schema.json`), 'utf8')));
/** Schemas by the beginning of the formats, compiled when a document needs them. */
const schemaNames = {
  workspace: 'workspaces',
  doctor: 'doctor',
  access: 'access',
  journals: 'journals',
  snapshot: 'snapshot',
};
const validators = new Map<string, ReturnType<typeof schemaOf>>();

/** The errors of a document that `--format json` printed, by the published schema of its format. */
export function documentErrors(document: unknown): readonly string[] {
  const text = JSON.stringify(document);
  const isOf = (format: string) => text.startsWith(`{"format":"attune.${format}`);
  const [, name = 'plan'] = Object.entries(schemaNames).find(([format]) => isOf(format)) ?? [];
  const validate = validators.get(name) ?? schemaOf(name);
  validators.set(name, validate);
  return validate(document)
    ? []
    : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}
