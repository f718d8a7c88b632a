import { rootOf, rootsOf } from '../model/configuration.ts';
import type { Plan } from '../model/plan.ts';
import { divideDiagnostics } from '../plan/divide.ts';
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

/** The parts of a plan, one for each root file, with what the checks find. */
export async function checkPlan(pass: Pass, divided: readonly Plan[]): Promise<readonly Plan[]> {
  const { configuration } = pass;
  let parts = divided;
  for (const check of checks) {
    if ((check.except ?? ['drift']).includes(pass.request.purpose)) continue;
    const found = check.isOfRoot ? await ofEachPart(check, pass, parts) : [await findings(check, pass)];
    const diagnostics = divideDiagnostics(
      found.flatMap((one) => one.diagnostics),
      configuration,
    );
    parts = parts.map((part, index) => {
      const { diagnostics: _all, ...results } = found[index] ?? { diagnostics: [] };
      return { ...part, ...results, diagnostics: [...part.diagnostics, ...(diagnostics[index] ?? [])] };
    });
  }
  return parts;
}

type Found = Pick<Plan, 'diagnostics' | 'policies'>;

async function findings({ find }: Check, pass: Pass): Promise<Found> {
  const found = await find(pass);
  return 'diagnostics' in found ? found : { diagnostics: found };
}

/** What is about a resource belongs to the root file that declares it. */
function ofEachPart(check: Check, pass: Pass, parts: readonly Plan[]): Promise<readonly Found[]> {
  return Promise.all(
    rootsOf(pass.configuration).map(async (root, index) => {
      const found = await findings(check, { ...pass, configuration: root, plan: parts[index] as Plan });
      const diagnostics = found.diagnostics.map((one) =>
        rootOf(pass.configuration, one.address ?? '') ? one : { ...one, root: root.file },
      );
      return { ...found, diagnostics };
    }),
  );
}
