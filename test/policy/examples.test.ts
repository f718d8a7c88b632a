import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { planOf } from '../support/plan-tables.ts';
import { rowsIn } from '../support/rows.ts';

const file = new URL('../../examples/policies/policies.yaml', import.meta.url);
const { policies }: { readonly policies: readonly { readonly id: string }[] } = parse(
  await readFile(file, 'utf8'),
);

/** The live state, as the plan tables have it. */
const live = `
projects: {prj-payments: {name: payments}, prj-platform: {name: platform, tag-bindings: {tier: gold}}}
names: {teams: {sre: team-sre, contractors: team-contractors}}
workspaces:
  network-prod:
    {project: prj-platform, tags: [prod], iac-version: 1.10.2, data-retention: {delete-older-than-days: 30}}
  dns-prod: {project: prj-platform, tags: [prod], iac-version: 1.10.2, tag-bindings: {}, inherited-tag-bindings: {tier: gold}}
  billing-prod: {project: prj-payments, tags: [prod], iac-version: 1.10.2}
  locked-dev: {project: prj-platform, tags: [dev], iac-version: 1.10.2, lock: {locked: true}}
  old-dev: {project: prj-platform, tags: [dev], iac-version: 1.10.2}
  shared-prod: {project: prj-payments, tags: [prod], iac-version: 1.10.2, global-remote-state: true}
team-access: {prj-payments: {team-sre: {access: admin}, team-contractors: {access: write}}}
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
- {policy: project-owner, at: project.shop, violates: 'projects: {shop: {name: Shop, manage: true, tag-bindings: {env: prod}}}', meets: 'projects: {shop: {name: Shop, manage: true, tag-bindings: {owner: web}}}'}
`;

const policyOf = (name: string) => name.replace(/:.*/, '');

test('examples/policies has an example for each policy', () => {
  expect([...new Set(examples.map(({ policy }) => policyOf(policy)))]).toEqual(policies.map(({ id }) => id));
});

test.each(examples)(
  'the policy $policy refuses a violation and accepts a valid change',
  async ({ policy, at, violates, meets }) => {
    const id = policyOf(policy);
    const isManaged = violates.includes('manage: true') || violates.includes('PLATFORM');
    const dialect = isManaged ? 'terraform' : 'iac';
    const violationsOf = async (text: string) => {
      const whole = text
        .replace('MANY', words.MANY ?? '')
        .replaceAll(/\b[A-Z]{3,}\b/g, (word) => words[word] ?? word);
      const desired = `{service: {dialect: ${dialect}}, policies: ${JSON.stringify(policies)}, ${whole}}`;
      const { plan } = await planOf(desired, `dialect: ${dialect}${live}`);
      const result = plan.policies?.find((one) => one.id === id);
      expect(result).toMatchObject({ id, checked: expect.any(Number) });
      expect([result?.failed, result?.checked]).not.toContain(0);
      return plan.diagnostics.filter((one) => one.policy === id).map(({ message }) => message);
    };
    expect(await violationsOf(violates)).toEqual([expect.stringContaining(`${at} violates policy ${id}: `)]);
    expect(await violationsOf(meets)).toEqual([]);
  },
);
