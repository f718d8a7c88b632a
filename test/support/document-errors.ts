import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';

const file = join(import.meta.dirname, '..', '..', 'schemas', 'plan.schema.json');
const validate = new Ajv2020({ allErrors: true }).compile(JSON.parse(readFileSync(file, 'utf8')));

/** What the published schema says against a document that `--format json` printed. */
export function documentErrors(document: unknown): readonly string[] {
  return validate(document)
    ? []
    : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}
