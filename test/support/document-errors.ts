import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';

const schemas = join(import.meta.dirname, '..', '..', 'schemas');
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, validateFormats: false });
const schemaOf = (name: string) =>
  ajv.compile(JSON.parse(readFileSync(join(schemas, `${name}.schema.json`), 'utf8')));
const plans = schemaOf('plan');
const others = ['workspaces', 'doctor', 'access', 'journals'].map(
  (name) => [name.replace(/^workspaces$/, 'workspace'), schemaOf(name)] as const,
);

/** The errors of a document that `--format json` printed, by the published schema of its format. */
export function documentErrors(document: unknown): readonly string[] {
  const text = JSON.stringify(document);
  const isOf = (format: string) => text.startsWith(`{"format":"attune.${format}`);
  const [, validate = plans] = others.find(([format]) => isOf(format)) ?? [];
  return validate(document)
    ? []
    : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}
