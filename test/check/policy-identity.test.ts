import { expect, test } from 'vitest';
import { planText } from '../support/plan-tables.ts';
import { rowsIn } from '../support/rows.ts';

/** The policies that a plan of a declaration without its braces violates, in the order of their violations. */
async function violated(declared: string, policies: readonly string[], live: string): Promise<string[]> {
  const rules = policies.map((policy, index) => `{id: p${index + 1}, message: Never., ${policy}}`);
  const desired = `service: {dialect: terraform}\npolicies: [${rules.join(', ')}]\n${declared.replaceAll('; ', '\n')}\n`;
  const text = await planText({ desired, live, options: 'diagnostics-only: true' });
  const found = [...text.matchAll(/^error policy at .* violates policy (\w+): Never\.$/gm)];
  return found.map(([, id = '']) => id);
}

const names = 'names: {projects: {Payments: prj-pay}, teams: {contractors: team-c, sre: team-sre}}';
const payments = 'projects: {prj-pay: {name: Payments, tag-bindings: {tier: gold}}}';

test.each(rowsIn<[string, string]>`
- [an alias of the same name, "teams: {contractors: {name: contractors}}; team-access: {prj-pay: {contractors: admin}}"]
- [another alias of the name, "teams: {friends: {name: contractors}}; team-access: {prj-pay: {friends: admin}}"]
- [an alias of the id, "teams: {friends: team-c}; team-access: {prj-pay: {friends: admin}}"]
- [the id, "team-access: {prj-pay: {team-c: admin}}"]
- [the name, "team-access: {prj-pay: {contractors: admin}}"]
- [an alias that another team has as its name, "teams: {sre: team-c, contractors: team-sre}; team-access: {prj-pay: {sre: admin}}"]
- [another alias of the project, "projects: {safe: {name: Payments}}; teams: {friends: {name: contractors}}; team-access: {safe: {friends: admin}}"]
- [the name of the project, "team-access: {Payments: {team-c: admin}}"]
- [a new name of the project, "projects: {safe: {name: Harmless, renamed-from: Payments, manage: true}}; team-access: {safe: {team-c: admin}}"]
`)('a policy on grants cannot be evaded with %s', async (_, declared) => {
  const policies = [
    `on: grant, when: "grant.teamName == 'contractors' && grant.projectName == 'Payments'", require: grant.access == 'read'`,
    `on: grant, when: "grant.teamId == 'team-c' && grant.projectId == 'prj-pay'", require: grant.access == 'read'`,
    `on: grant, when: "grant.teamName == 'contractors' && grant.?effectiveTagBindings[?'tier'].orValue('') == 'gold'", require: grant.access == 'read'`,
  ];
  const live = `dialect: terraform\n${names}\n${payments}\nteam-access: {prj-pay: {team-sre: admin}}`;
  expect(await violated(declared, policies, live)).toEqual(['p1', 'p2', 'p3']);
});

test.each(rowsIn<[string, string]>`
- [another alias of the project, "projects: {safe: prj-pay}; workspaces: {billing-prod: {project: safe, auto-apply: true}}"]
- [the name of the project, "workspaces: {billing-prod: {project: Payments, auto-apply: true}}"]
- [no project, "workspaces: {billing-prod: {auto-apply: true}}"]
- [a new name, "workspaces: {harmless: {renamed-from: billing-prod, auto-apply: true}}"]
- [a new name of the project, "projects: {safe: {name: Harmless, renamed-from: Payments, manage: true}}; workspaces: {billing-prod: {project: safe, auto-apply: true}}"]
`)('policies on workspaces and changes cannot be evaded with %s', async (_, declared) => {
  const policies = [
    `on: workspace, when: workspace.id == 'ws-billing-prod'`,
    `on: workspace, when: workspace.projectId == 'prj-pay'`,
    `on: workspace, when: workspace.projectName == 'Payments'`,
    `on: workspace, when: "workspace.name.endsWith('-prod')"`,
    `on: workspace, when: "workspace.effectiveTagBindings['tier'] == 'gold' && workspace.effectiveTagBindings['env'] == 'prod'"`,
    `when: change.kind == 'workspace' && change.name == 'billing-prod'`,
    `when: change.kind == 'workspace' && change.projectName == 'Payments'`,
    `when: change.kind == 'workspace' && change.projectId == 'prj-pay'`,
  ].map((policy) => `${policy}, require: "false"`);
  const bindings = 'tag-bindings: {env: prod}, inherited-tag-bindings: {tier: gold}';
  const live = `dialect: terraform\n${names}\n${payments}\nworkspaces: {billing-prod: {project: prj-pay, ${bindings}}}`;
  expect((await violated(declared, policies, live)).toSorted()).toEqual(
    policies.map((_, index) => `p${index + 1}`),
  );
});

test('a policy on changes cannot be evaded with another alias of a revoked team', async () => {
  const policy = `when: "change.?teamName.orValue('') == 'sre' && change.projectName == 'Payments'", require: change.action != 'delete'`;
  const declared = 'teams: {friends: {name: sre}}; team-access: {Payments: {friends: none}}';
  const live = `dialect: terraform\n${names}\n${payments}\nteam-access: {prj-pay: {team-sre: admin}}`;
  expect(await violated(declared, [policy], live)).toEqual(['p1']);
});
