import { readFileSync } from 'node:fs';
import type { Plan } from '../../model/plan.ts';
import { parsePlans } from '../../plan/saved-plan.ts';
import { readFile } from './read-file.ts';

const schemaFile = new URL('../../../schemas/plan.schema.json', import.meta.url);

/**
 * Reads the plans that `plan --out` saved.
 *
 * @throws {AttuneError} where the file cannot be read, or is not a plan that can be applied.
 */
export async function readPlanFile(name: string, cwd: string): Promise<Plan[]> {
  const text = await readFile(name, cwd, {
    code: 'bad-plan-file',
    hint: 'give the file that `attune plan --out` made',
  });
  return parsePlans(text, name, await savedPlanCheck());
}

async function savedPlanCheck(): Promise<(document: unknown) => readonly string[]> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const ajv = new Ajv2020({ allowUnionTypes: true });
  ajv.addSchema(JSON.parse(readFileSync(schemaFile, 'utf8')), 'plan');
  const validate = ajv.compile({ $ref: 'plan#/$defs/savedPlan' });
  return (document) =>
    validate(document)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'it'} ${message}`);
}
