import { loadPolicyFiles } from '../desired/policies.ts';
import { hasErrors } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import { checkPolicies } from '../plan/check-policies.ts';
import type { RunContext } from './context.ts';
import { RefusedError } from './errors.ts';
import { entryOf } from './report-entry.ts';

/**
 * Evaluates the policies of `--policy` on saved plans, from their documents alone.
 *
 * @throws {RefusedError} if a policy file has errors.
 */
export async function checkSavedPlans(plans: readonly Plan[], context: RunContext): Promise<readonly Plan[]> {
  const { options, io } = context;
  const files = await loadPolicyFiles(options.policy ?? [], io.cwd);
  if (files === undefined) return plans;
  const { policies, diagnostics, folder } = files;
  if (hasErrors(diagnostics)) throw new RefusedError([entryOf(context, folder, { diagnostics })]);
  return Promise.all(plans.map((plan) => checkPolicies(plan, policies)));
}
