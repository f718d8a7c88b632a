/*
 * What must not be applied, or needs attention: limits, guards, policies, permissions, ids, and what the token may not see.
 *
 * Premise: a plan is made as if everything were allowed. Then one table of checks looks at it, each with the same input: the
 * plan, the states before and after it, and where more can be read. A check returns diagnostics, and changes nothing. Errors
 * among them leave the plan complete: it is printed with them, and not applied.
 *
 * Two modules beside the table need no plan: mistakes.ts refuses a comparison whose mistakes leave no plan at all, and risks.ts
 * lists what needs attention in a plan, also in one that was saved.
 */

import type { Configuration } from '../model/configuration.ts';
import { type Diagnostic, warning } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import { findAmong, identity, resourcesOf } from '../model/state.ts';
import { divideDiagnostics } from '../plan/divide.ts';
import type { Check, Pass } from './check.ts';
import { policies } from './check-policies.ts';
import { guards } from './guards.ts';
import { limits } from './limits.ts';
import { lookAlikes } from './look-alikes.ts';
import { permitted, unreadGrants } from './not-permitted.ts';
import { organizationFacts } from './organization-facts.ts';
import { ids } from './unknown-ids.ts';

/** With `--base`: access whose end the files remove or delay, also by removing the grant while the access can be live. */
const endsOfAccess: Check = {
  codes: ['rule-changed'],
  except: [],
  find({ configuration: { desired, base, roots }, plan: { noLongerDeclared = [] } }) {
    const former = resourcesOf(base?.declared?.desired.resources.values() ?? [], 'team-access');
    const now = findAmong(desired.resources.values());
    const dropped = new Set(noLongerDeclared.map(({ address }) => address));
    return former.flatMap((grant): Diagnostic[] => {
      const { address, declared: { until } = {} } = grant;
      const head = now(identity(grant));
      if (until === undefined) return [];
      if (head === undefined) {
        if (!dropped.has(address)) return [];
        const root = roots?.find((one) => one.base?.declared?.desired.resources.has(address))?.file;
        const removed = `this change removes until of ${address} with the grant: live access no longer ends`;
        return [warning('rule-changed', removed, { at: { address, root } })];
      }
      const { until: end, absent, locations } = head.declared ?? {};
      if (end === undefined ? absent : end.time <= until.time) return [];
      const what = end ? 'extends' : 'removes';
      const dates = end ? ` from ${until.written} to ${end.written}` : '';
      const at = { address: head.address, location: locations?.until ?? head.location };
      return [warning('rule-changed', `this change ${what} until of ${head.address}${dates}`, { at })];
    });
  },
};

/** What is checked in each plan, in the order of their diagnostics. A check can use what those before it have read. */
export const checks: readonly Check[] = [
  endsOfAccess,
  lookAlikes,
  ...organizationFacts,
  policies,
  ids,
  unreadGrants,
  permitted,
  ...guards,
  limits,
];

export async function checkPlan(pass: Pass, divided: readonly Plan[]): Promise<readonly Plan[]> {
  const { roots = [pass.configuration] } = pass.configuration;
  let parts = divided;
  for (const check of checks) {
    if ((check.except ?? ['drift']).includes(pass.request.purpose)) continue;
    const found = check.isOfRoot
      ? await ofEachPart(check, pass, { roots, parts })
      : [await findings(check, pass)];
    const diagnostics = divideDiagnostics(
      found.flatMap((one) => one.diagnostics),
      roots,
    );
    parts = parts.map((part, index) => ({
      ...part,
      ...found[index],
      diagnostics: part.diagnostics.concat(diagnostics[index] ?? []),
    }));
  }
  return parts;
}

type Found = Pick<Plan, 'diagnostics' | 'policies'>;

async function findings({ find }: Check, pass: Pass): Promise<Found> {
  const found = await find(pass);
  return 'diagnostics' in found ? found : { diagnostics: found };
}

/** What is about a resource belongs to the root file that declares it. */
function ofEachPart(
  check: Check,
  pass: Pass,
  { roots, parts }: { readonly roots: readonly Configuration[]; readonly parts: readonly Plan[] },
): Promise<readonly Found[]> {
  return Promise.all(
    roots.map(async (root, index) => {
      const found = await findings(check, { ...pass, configuration: root, plan: parts[index] as Plan });
      const diagnostics = found.diagnostics.map((one) =>
        pass.configuration.desired.resources.has(one.address ?? '') ? one : { ...one, root: root.file },
      );
      return { ...found, diagnostics };
    }),
  );
}
