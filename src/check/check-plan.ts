import type { Plan } from '../model/plan.ts';
import type { Check, Pass } from './check.ts';
import { policies } from './check-policies.ts';
import { keepAdmin } from './keep-admin.ts';
import { keepSelf } from './keep-self.ts';
import { limits } from './limits.ts';
import { lookAlikes } from './look-alikes.ts';
import { permitted } from './not-permitted.ts';
import { assessments, hiddenTeams, visibility } from './organization-facts.ts';
import { ids } from './unknown-ids.ts';

/** What is checked in each plan, in the order of their diagnostics. A check can use what those before it have read. */
export const checks: readonly Check[] = [
  lookAlikes,
  visibility,
  policies,
  hiddenTeams,
  assessments,
  ids,
  permitted,
  keepAdmin,
  keepSelf,
  limits,
];

/** The plan with what its checks find. */
export async function checkPlan(pass: Pass): Promise<Plan> {
  let { plan } = pass;
  for (const { except = ['drift'], find } of checks) {
    if (except.includes(pass.request.purpose)) continue;
    const found = await find(pass);
    const { diagnostics, ...results } = 'diagnostics' in found ? found : { diagnostics: found };
    plan = { ...plan, ...results, diagnostics: [...plan.diagnostics, ...diagnostics] };
  }
  return plan;
}
