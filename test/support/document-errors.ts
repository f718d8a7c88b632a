import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';

const schemas = join(import.meta.dirname, '..', '..', 'schemas');
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
const [plans, workspaces, doctor, render, access] = ['plan', 'workspaces', 'doctor', 'render', 'access'].map(
  (name) => ajv.compile(JSON.parse(readFileSync(join(schemas, `${name}.schema.json`), 'utf8'))),
);

/** The errors of a document that `--format json` printed, by the published schema of its format. */
export function documentErrors(document: unknown): readonly string[] {
  const text = JSON.stringify(document);
  const isOf = (format: string) => text.startsWith(`{"format":"attune.${format}`);
  const own = { workspace: workspaces, doctor, render, access };
  const [, validate = plans] = Object.entries(own).find(([format]) => isOf(format)) ?? [];
  if (validate === undefined) return ['there is no schema'];
  return validate(document)
    ? []
    : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}
