import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { risksOf } from '../../src/check/risks.ts';
import type { Plan } from '../../src/model/plan.ts';
import { planOf } from '../support/plan-tables.ts';
import { rowsIn } from '../support/rows.ts';

const file = new URL('../../examples/policies/policies.yaml', import.meta.url);
const { policies }: { readonly policies: readonly { readonly id: string }[] } = parse(
  await readFile(file, 'utf8'),
);

/** The live state, as the plan tables have it. */
const live = `
projects: {prj-payments: {name: payments}, prj-platform: {name: platform, tag-bindings: {tier: gold}}, prj-lab: {name: lab, tag-bindings: {owner: web}}}
names: {teams: {sre: team-sre, contractors: team-contractors}}
workspaces:
  network-prod:
    {project: prj-platform, tags: [prod], iac-version: 1.10.2, data-retention: {delete-older-than-days: 30}}
  dns-prod: {project: prj-platform, tags: [prod], iac-version: 1.10.2, tag-bindings: {}, inherited-tag-bindings: {tier: gold}}
  billing-prod: {project: prj-payments, tags: [prod], iac-version: 1.10.2}
  locked-dev: {project: prj-platform, tags: [dev], iac-version: 1.10.2, lock: {locked: true}}
  old-dev: {project: prj-platform, tags: [dev], iac-version: 1.10.2}
  shared-prod: {project: prj-payments, tags: [prod], iac-version: 1.10.2, global-remote-state: true}
team-access: {prj-payments: {team-sre: {access: admin}, team-contractors: {access: write}}, prj-lab: {team-contractors: {access: admin}}}
`;

/** The texts of words in capital letters. */
const words: Readonly<Record<string, string>> = {
  ALIASES: 'projects: {payments: prj-payments, platform: prj-platform}',
  DEV: 'project: platform, tags: [dev], iac-version: 1.10.2',
  PROD: 'project: platform, tags: [prod], iac-version: 1.10.2, protect: true',
  GUARD: 'guards: {protect: [{tag: prod}]}',
  GOLD: 'guards: {protect: [{tagged: {tier: gold}}]}',
  PLATFORM: 'id: prj-platform, name: platform, manage: true',
  MANY: Array.from({ length: 101 }, (_, index) => `w${index}-dev: {DEV}`).join(', '),
};

interface Example {
  readonly policy: string;
  /** The address in the violation. */
  readonly at: string;
  /** What the policy refuses, and a change of it that meets the policy. */
  readonly violates: string;
  readonly meets: string;
}

/** Several rows of a policy have a name after a colon. Policies on managed projects need the terraform dialect. */
const examples = rowsIn<Example>`
- {policy: names, at: workspace.Billing, violates: 'ALIASES, workspaces: {Billing: {DEV}}', meets: 'ALIASES, workspaces: {shop-dev: {DEV}}'}
- {policy: environment-tag, at: workspace.shop-dev, violates: 'ALIASES, workspaces: {shop-dev: {iac-version: 1.10.2, tags: [dev, prod]}}', meets: 'ALIASES, workspaces: {shop-dev: {DEV}}'}
- {policy: prod-no-auto-apply, at: workspace.network-prod, violates: 'ALIASES, workspaces: {network-prod: {PROD, auto-apply: true}}', meets: 'ALIASES, workspaces: {network-prod: {PROD, auto-apply: false}}'}
- {policy: no-global-state, at: workspace.network-prod, violates: 'ALIASES, workspaces: {network-prod: {PROD, global-remote-state: true}}', meets: 'ALIASES, workspaces: {network-prod: {PROD}}'}
- {policy: prod-state-in-project, at: workspace.network-prod, violates: 'ALIASES, workspaces: {network-prod: {PROD, remote-state-consumers: [dns-prod, billing-prod]}}', meets: 'ALIASES, workspaces: {network-prod: {PROD, remote-state-consumers: [dns-prod]}}'}
- {policy: 'prod-state-in-project: shared state', at: workspace.network-prod, violates: 'ALIASES, workspaces: {network-prod: {PROD, global-remote-state: true}}', meets: 'ALIASES, workspaces: {network-prod: {PROD, remote-state-consumers: []}}'}
- {policy: 'prod-state-in-project: unknown readers', at: workspace.shared-prod, violates: 'ALIASES, workspaces: {shared-prod: {tags: [prod], global-remote-state: false}}', meets: 'ALIASES, workspaces: {shared-prod: {tags: [prod], global-remote-state: false, remote-state-consumers: []}}'}
- {policy: prod-protected, at: workspace.network-prod, violates: 'ALIASES, workspaces: {network-prod: {tags: [prod]}}', meets: 'ALIASES, workspaces: {network-prod: {tags: [prod]}}, GUARD'}
- {policy: prod-retention, at: workspace.dns-prod, violates: 'ALIASES, workspaces: {dns-prod: {PROD}}', meets: 'ALIASES, workspaces: {dns-prod: {PROD, data-retention: {delete-older-than-days: 30}}}'}
- {policy: least-version, at: workspace.network-prod, violates: 'ALIASES, workspaces: {network-prod: {tags: [prod], iac-version: "~> 1.8.5"}}', meets: 'ALIASES, workspaces: {network-prod: {tags: [prod], iac-version: "~> 1.9.0"}}'}
- {policy: no-admin-for-contractors, at: team-access.payments/contractors, violates: 'ALIASES, team-access: {payments: {sre: admin, contractors: maintain}}', meets: 'ALIASES, team-access: {payments: {sre: admin, contractors: read}}'}
- {policy: keep-protection, at: workspace.network-prod, violates: 'ALIASES, workspaces: {network-prod: {tags: [staging]}}, GUARD', meets: 'ALIASES, workspaces: {network-prod: {tags: [prod, network]}}, GUARD'}
- {policy: 'keep-protection: a project', at: project.platform, violates: 'projects: {platform: {PLATFORM, tag-bindings: {tier: silver}}}, workspaces: {dns-prod: {}}, GOLD', meets: 'projects: {platform: {PLATFORM, tag-bindings: {tier: gold, owner: web}}}, workspaces: {dns-prod: {}}, GOLD'}
- {policy: keep-prod, at: workspace.network-prod, violates: 'ALIASES, workspaces: {network-prod: {state: absent}}', meets: 'ALIASES, workspaces: {network-prod: {tags: [prod], description: Network}}'}
- {policy: 'keep-prod: a rename', at: workspace.network-dev, violates: 'ALIASES, workspaces: {network-dev: {renamed-from: network-prod, tags: [dev]}}', meets: 'ALIASES, workspaces: {core-prod: {renamed-from: network-prod, tags: [prod]}}'}
- {policy: prod-declared, at: the plan, violates: 'ALIASES, workspaces: {network-prod: {PROD}}, scope: {projects: [platform]}', meets: 'ALIASES, workspaces: {network-prod: {PROD}, dns-prod: {PROD}}, scope: {projects: [platform]}'}
- {policy: no-unlocks, at: workspace.locked-dev, violates: 'ALIASES, workspaces: {locked-dev: {lock: false}}', meets: 'ALIASES, workspaces: {old-dev: {lock: true}}'}
- {policy: no-forced-deletes, at: workspace.old-dev, violates: 'ALIASES, workspaces: {old-dev: {state: absent, delete: force}}', meets: 'ALIASES, workspaces: {old-dev: {state: absent}}'}
- {policy: small-plans, at: the plan, violates: 'ALIASES, workspaces: {MANY}', meets: 'ALIASES, workspaces: {shop-dev: {DEV}}'}
- {policy: 'project-owner: no value', at: project.shop, violates: 'projects: {shop: {name: Shop, manage: true, tag-bindings: {owner: null}}}', meets: 'projects: {shop: {name: Shop, manage: true, tag-bindings: {owner: web}}}'}
- {policy: project-owner, at: project.shop, violates: 'projects: {shop: {name: Shop, manage: true, tag-bindings: {env: prod}}}', meets: 'projects: {shop: {name: Shop, manage: true, tag-bindings: {owner: web}}}'}
`;

/** A change that leaves what a policy looks at, or does in another way what it forbids. Without `at`, a risk shows it. */
interface Attempt {
  readonly policy: string;
  readonly at?: string;
  readonly attempt: string;
  readonly risks?: string;
}

const attempts = rowsIn<Attempt>`
- {policy: 'names: a rename', at: workspace.old, attempt: 'ALIASES, workspaces: {old: {DEV, renamed-from: old-dev}}'}
- {policy: 'environment-tag: a template', at: workspace.old-dev, attempt: 'ALIASES, templates: {both: {tags: {add: [prod]}}}, workspaces: {old-dev: {extends: both}}'}
- {policy: 'prod-no-auto-apply: without the tag', at: workspace.network-prod, attempt: 'ALIASES, workspaces: {network-prod: {tags: [], auto-apply: true}}'}
- {policy: 'prod-no-auto-apply: a rename and another tag', at: workspace.network-dev, attempt: 'ALIASES, workspaces: {network-dev: {renamed-from: network-prod, tags: [dev], auto-apply: true}}'}
- {policy: 'prod-no-auto-apply: a template for run triggers', at: workspace.network-prod, attempt: 'ALIASES, templates: {fast: {auto-apply-run-trigger: true}}, workspaces: {network-prod: {extends: fast}}'}
- {policy: 'no-global-state: defaults', at: workspace.old-dev, attempt: 'ALIASES, defaults: {workspace: {global-remote-state: true}}, workspaces: {old-dev: {}}'}
- {policy: 'no-global-state: the whole project', attempt: 'TERRAFORM, workspaces: {old-dev: {project-remote-state: true}}', risks: state-access-gained workspace.old-dev}
- {policy: 'prod-state-in-project: the consumer moves', at: workspace.network-prod, attempt: 'ALIASES, workspaces: {network-prod: {remote-state-consumers: [dns-prod]}, dns-prod: {project: payments}}'}
- {policy: 'prod-state-in-project: an alias that is the id of another project', at: workspace.network-prod, attempt: 'projects: {prj-platform: prj-payments}, workspaces: {network-prod: {project: prj-platform, remote-state-consumers: [dns-prod]}}'}
- {policy: 'prod-state-in-project: without the tag', at: workspace.network-prod, attempt: 'ALIASES, workspaces: {network-prod: {tags: [], remote-state-consumers: [billing-prod]}}'}
- {policy: 'prod-protected: without the tag, before another apply', at: workspace.network-prod, attempt: 'ALIASES, workspaces: {network-prod: {tags: [], protect: false}}'}
- {policy: 'prod-protected: an exception of the guard', at: workspace.network-prod, attempt: "ALIASES, workspaces: {network-prod: {}}, guards: {protect: [{tag: prod, except: 'network-*'}]}"}
- {policy: 'prod-retention: a template', at: workspace.network-prod, attempt: 'ALIASES, templates: {short: {data-retention: null}}, workspaces: {network-prod: {extends: short}}'}
- {policy: 'least-version: a template', at: workspace.old-dev, attempt: 'ALIASES, templates: {old: {iac-version: 1.8.5}}, workspaces: {old-dev: {extends: old}}'}
- {policy: 'least-version: a second constraint', at: workspace.old-dev, attempt: 'ALIASES, workspaces: {old-dev: {iac-version: ">= 1.9.0, < 1.9.1"}}'}
- {policy: 'no-admin-for-contractors: another alias', at: team-access.payments/partners, attempt: 'ALIASES, teams: {partners: team-contractors}, team-access: {payments: {sre: admin, partners: admin}}'}
- {policy: 'no-admin-for-contractors: the alias of another team', at: team-access.payments/sre, attempt: 'ALIASES, teams: {sre: team-contractors, contractors: team-sre}, team-access: {payments: {sre: admin, contractors: read}}'}
- {policy: 'no-admin-for-contractors: a role', at: team-access.payments/contractors, attempt: 'ALIASES, roles: {all: {access: custom, workspace-access: {runs: apply}}}, team-access: {payments: {sre: admin, contractors: all}}'}
- {policy: 'no-admin-for-contractors: a move to where they are admins', attempt: 'ALIASES, workspaces: {old-dev: {project: prj-lab}}', risks: access-gained workspace.old-dev}
- {policy: 'no-admin-for-contractors: access that is not declared', attempt: 'projects: {lab: prj-lab}, teams: {contractors: team-contractors}, team-access: {lab: {}}', risks: admin-access team-access.lab/contractors}
- {policy: 'keep-protection: a move', at: workspace.dns-prod, attempt: 'TERRAFORM, workspaces: {dns-prod: {project: payments}}, GOLD'}
- {policy: 'keep-protection: a key/value tag that replaces the inherited one', at: workspace.dns-prod, attempt: 'TERRAFORM, workspaces: {dns-prod: {tag-bindings: {tier: silver}}}, GOLD'}
- {policy: 'keep-prod: prune', at: workspace.network-prod, attempt: 'ALIASES, scope: {names: ["network-*"]}, prune: {workspaces: safe}'}
- {policy: 'prod-declared: its block becomes the rename of another workspace', at: the plan, attempt: 'ALIASES, workspaces: {core-prod: {renamed-from: dns-prod}}, scope: {projects: [platform]}'}
- {policy: 'no-unlocks: a template and a rename', at: workspace.open-dev, attempt: 'ALIASES, templates: {open: {lock: false}}, workspaces: {open-dev: {extends: open, renamed-from: locked-dev}}'}
- {policy: 'no-unlocks: a deletion', attempt: 'ALIASES, workspaces: {locked-dev: {state: absent}}', risks: delete workspace.locked-dev}
- {policy: 'no-forced-deletes: prune', at: workspace.old-dev, attempt: 'ALIASES, scope: {names: ["old-*"]}, prune: {workspaces: force}'}
- {policy: 'project-owner: another alias and name', at: project.shop, attempt: 'projects: {shop: {id: prj-lab, name: shop, manage: true, tag-bindings: {remove: [owner]}}}'}
`;

const policyOf = (name: string) => name.replace(/:.*/, '');

test('examples/policies has an example for each policy', () => {
  expect([...new Set(examples.map(({ policy }) => policyOf(policy)))]).toEqual(policies.map(({ id }) => id));
});

/** The plan of a declaration with all policies. */
async function planned(text: string) {
  const dialect = /manage: true|PLATFORM|TERRAFORM/.test(text) ? 'terraform' : 'iac';
  const whole = text
    .replace('MANY', words.MANY ?? '')
    .replace('TERRAFORM', 'ALIASES')
    .replaceAll(/\b[A-Z]{3,}\b/g, (word) => words[word] ?? word);
  const desired = `{service: {dialect: ${dialect}}, policies: ${JSON.stringify(policies)}, ${whole}}`;
  return (await planOf(desired, `dialect: ${dialect}${live}`)).plan;
}

const violationsIn = ({ diagnostics }: Plan, id: string) =>
  diagnostics.filter(({ policy }) => policy === id).map(({ message }) => message);

test.each(examples)(
  'the policy $policy refuses a violation and accepts a valid change',
  async ({ policy, at, violates, meets }) => {
    const id = policyOf(policy);
    const violationsOf = async (text: string) => {
      const plan = await planned(text);
      const result = plan.policies?.find((one) => one.id === id);
      expect(result).toMatchObject({ id, checked: expect.any(Number) });
      expect([result?.failed, result?.checked]).not.toContain(0);
      return violationsIn(plan, id);
    };
    expect(await violationsOf(violates)).toEqual([expect.stringContaining(`${at} violates policy ${id}: `)]);
    expect(await violationsOf(meets)).toEqual([]);
  },
);

test.each(attempts)('a change cannot evade the policy $policy', async ({ policy, at, attempt, risks }) => {
  const id = policyOf(policy);
  const plan = await planned(attempt);
  if (risks === undefined)
    expect(violationsIn(plan, id)).toContainEqual(expect.stringContaining(`${at} violates policy ${id}: `));
  else expect(risksOf(plan).map(({ kind, address }) => `${kind} ${address}`)).toContain(risks);
});
