import { loadPolicyFiles } from '../../desired/policies.ts';
import { hasErrors } from '../../model/diagnostic.ts';
import type { Plan } from '../../model/plan.ts';
import { checkPolicies } from '../../plan/check-policies.ts';
import { entryOf } from '../emit.ts';
import { RefusedError } from '../run-errors.ts';
import type { Session } from '../session.ts';

/**
 * Evaluates the policies of `--policy` on saved plans, from their documents alone.
 *
 * @throws {RefusedError} if a policy file has errors.
 */
export async function checkSavedPlans(plans: readonly Plan[], session: Session): Promise<readonly Plan[]> {
  const { flags, io } = session;
  const files = await loadPolicyFiles(flags.policy ?? [], io.cwd);
  if (files === undefined) return plans;
  const { policies, diagnostics, folder } = files;
  if (hasErrors(diagnostics)) throw new RefusedError([entryOf(session, folder, { diagnostics })]);
  return Promise.all(plans.map((plan) => checkPolicies(plan, policies)));
}
