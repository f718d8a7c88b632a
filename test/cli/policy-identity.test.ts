import { describe, expect, test } from 'vitest';
import { type World, worldWith } from '../support/attune.ts';

const seed = {
  organization: 'acme',
  projects: {
    Payments: { id: 'prj-payments', 'tag-bindings': { tier: 'gold' } },
    Sandbox: { id: 'prj-sandbox' },
  },
  teams: { contractors: 'team-contractors', sre: 'team-sre' },
  workspaces: {
    'billing-prod': { id: 'ws-billing', project: 'prj-payments', 'tag-bindings': { env: 'prod' } },
  },
  'team-access': { 'prj-payments': { 'team-sre': 'admin' } },
};

const guardrails = (policies: string) => `policies:\n${policies}`;

function world(root: string, policies: string, files: Readonly<Record<string, string>> = {}): Promise<World> {
  return worldWith(
    {
      'attune.yaml': `attune: 1\norganization: acme\n${root}`,
      'guardrails.yaml': guardrails(policies),
      ...files,
    },
    { dialect: 'terraform', seed: seed as never },
  );
}

const violations = async ({ attune }: World) => {
  const { code, stdout, stderr } = await attune('plan', '--policy', 'guardrails.yaml', '--format', 'json');
  const { diagnostics = [] } = JSON.parse(stdout === '' ? '{}' : stdout);
  const found = diagnostics.map(({ code: one }: { readonly code: string }) => one);
  return { code, found, stderr };
};

describe('a policy cannot be evaded with an alias', () => {
  const admin = (team: string, project = 'prj-payments') => `team-access: {${project}: {${team}: admin}}\n`;
  const grants: readonly (readonly [string, string])[] = [
    ['the alias of the same name', `teams: {contractors: {name: contractors}}\n${admin('contractors')}`],
    ['another alias of the name', `teams: {friends: {name: contractors}}\n${admin('friends')}`],
    ['an alias of the id', `teams: {friends: team-contractors}\n${admin('friends')}`],
    ['the id', admin('team-contractors')],
    ['the name', admin('contractors')],
    [
      'an alias that another team has as its name',
      `teams: {sre: team-contractors, contractors: team-sre}\n${admin('sre')}`,
    ],
    ['an alias in an included file', `include: [more.yaml]\n${admin('friends')}`],
    [
      'another alias of the project',
      `projects: {safe: {name: Payments}}\nteams: {friends: {name: contractors}}\n${admin('friends', 'safe')}`,
    ],
    ['the name of the project', admin('team-contractors', 'Payments')],
    [
      'a new name of the project',
      `projects: {safe: {name: Harmless, renamed-from: Payments, manage: true}}\n${admin('team-contractors', 'safe')}`,
    ],
  ];
  const rules = [
    "grant.teamName == 'contractors' && grant.projectName == 'Payments'",
    "grant.teamId == 'team-contractors' && grant.projectId == 'prj-payments'",
    "grant.teamName == 'contractors' && grant.?effectiveTagBindings[?'tier'].orValue('') == 'gold'",
  ];
  test.each(grants.flatMap(([name, root]) => rules.map((rule) => [name, rule, root] as const)))(
    'a policy on grants cannot be evaded with %s: %s',
    async (_name, when, root) => {
      const given = await world(
        root,
        `  - {id: contractors, on: grant, when: ${JSON.stringify(when)}, require: grant.access == 'read', message: Read.}\n`,
        { 'more.yaml': 'teams: {friends: team-contractors}\n' },
      );
      expect(await violations(given)).toEqual({ code: 1, found: ['policy'], stderr: expect.any(String) });
    },
  );

  const settings = 'auto-apply: true';
  test.each([
    [
      'another alias of the project',
      `projects: {safe: prj-payments}\nworkspaces: {billing-prod: {project: safe, ${settings}}}\n`,
    ],
    ['the name of the project', `workspaces: {billing-prod: {project: Payments, ${settings}}}\n`],
    ['no project', `workspaces: {billing-prod: {${settings}}}\n`],
    ['a new name of the workspace', `workspaces: {harmless: {renamed-from: billing-prod, ${settings}}}\n`],
    [
      'a new name of the project',
      `projects: {safe: {name: Harmless, renamed-from: Payments, manage: true}}\nworkspaces: {billing-prod: {project: safe, ${settings}}}\n`,
    ],
  ])('policies on workspaces and changes cannot be evaded with %s', async (_name, root) => {
    const rule = (id: string, on: string, when: string) =>
      `  - {id: ${id}, on: ${on}, when: ${JSON.stringify(when)}, require: 'false', message: Manual runs.}\n`;
    const isSame = `change.kind == 'workspace' &&`;
    const given = await world(
      root,
      rule('id', 'workspace', "workspace.id == 'ws-billing'") +
        rule('project-id', 'workspace', "workspace.projectId == 'prj-payments'") +
        rule('project-name', 'workspace', "workspace.projectName == 'Payments'") +
        rule('name', 'workspace', "workspace.name.endsWith('-prod')") +
        rule(
          'tags',
          'workspace',
          "workspace.effectiveTagBindings['tier'] == 'gold' && workspace.effectiveTagBindings['env'] == 'prod'",
        ) +
        rule('change-name', 'change', `${isSame} change.name == 'billing-prod'`) +
        rule('change-project', 'change', `${isSame} change.projectName == 'Payments'`) +
        rule('change-project-id', 'change', `${isSame} change.projectId == 'prj-payments'`),
    );
    expect((await violations(given)).found).toEqual(Array.from({ length: 8 }, () => 'policy'));
  });

  test('a policy on changes cannot be evaded with another alias when access is revoked', async () => {
    const given = await world(
      'teams: {friends: {name: sre}}\nteam-access: {Payments: {friends: none}}\n',
      `  - {id: keep-sre, when: "change.?teamName.orValue('') == 'sre' && change.projectName == 'Payments'", require: change.action != 'delete', message: Keep.}\n`,
    );
    expect((await violations(given)).found).toEqual(['policy']);
  });
});

describe('the reads of a policy on identities', () => {
  const root =
    'service: {dialect: terraform}\nprojects: {pay: prj-payments}\nteams: {ops: team-sre}\nteam-access: {pay: {ops: admin}}\n';
  const requests = async (require: string) => {
    const given = await world(
      root,
      `  - {id: some, on: grant, require: ${JSON.stringify(require)}, message: Never.}\n`,
    );
    expect((await given.attune('plan', '--policy', 'guardrails.yaml')).code).toBe(0);
    return given.requests().map((one) => one.replace(/\?.*/, ''));
  };

  test('a policy reads names of teams, projects and key/value tags only if it uses them', async () => {
    const grants = ['GET /team-projects'];
    const teams = 'GET /organizations/acme/teams';
    const projects = 'GET /organizations/acme/projects';
    expect(
      (await requests("grant.teamId != 'x' && grant.projectId != 'x' && grant.id != ''")).sort(),
    ).toEqual(grants);
    expect((await requests("grant.teamName != 'x'")).sort()).toEqual([teams, ...grants].sort());
    expect((await requests("grant.projectName != 'x'")).sort()).toEqual([projects, ...grants].sort());
    expect((await requests("grant.effectiveTagBindings['tier'] == 'gold'")).sort()).toEqual(
      [projects, ...grants].sort(),
    );
    expect(
      (await requests("grant.projectName != '' && grant.effectiveTagBindings['tier'] == 'gold'")).sort(),
    ).toEqual([projects, ...grants].sort());
  });
});

test('a policy on a name that the service does not list cannot be evaluated', async () => {
  const given = await world(
    'team-access: {prj-payments: {team-contractors: read}}\n',
    `  - {id: some, on: grant, when: "grant.teamName == 'contractors'", require: 'false', message: Never.}\n`,
  );
  given.service.setFaults([{ kind: 'status', status: 404, path: '/organizations/acme/teams' }]);
  expect((await violations(given)).found).toEqual(['policy-failed']);
});

test('a policy on names is evaluated on a snapshot of its configuration', async () => {
  const given = await world(
    `teams: {friends: {name: contractors}}\nteam-access: {prj-payments: {friends: read}}\npolicies:\n  - {id: named, on: grant, when: "grant.teamName == 'contractors' && grant.projectName == 'Payments'", require: 'false', message: Never.}\n`,
    `  - {id: other, require: 'true', message: Never.}\n`,
  );
  expect((await given.attune('snapshot', '--out', 'live.json')).code).toBe(0);
  const { stdout } = await given.attune('plan', '--snapshot', 'live.json', '--format', 'json');
  expect(JSON.parse(stdout).policies).toMatchObject([{ id: 'named', checked: 1, violations: 1 }]);
});

test('a policy on ids of the projects of readers reads their lists', async () => {
  const given = await world(
    'projects: {pay: prj-payments}\nworkspaces: {billing-prod: {remote-state-consumers: [billing-dev]}, billing-dev: {project: pay}}\n',
    `  - {id: own, on: workspace, when: "workspace.name == 'billing-prod'", require: "workspace.consumerProjectIds.all(id, id == workspace.projectId)", message: Never.}\n`,
  );
  expect(await violations(given)).toMatchObject({ code: 0, found: [] });
});
