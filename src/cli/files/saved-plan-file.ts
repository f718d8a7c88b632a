import type { Plan } from '../../model/plan.ts';
import { parsePlans } from '../../plan/saved-plan.ts';
import { readFile } from './read-file.ts';
import { openSchema } from './schema-check.ts';

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
  const checkOf = await openSchema('plan');
  return parsePlans(text, name, checkOf('savedPlan'));
}
