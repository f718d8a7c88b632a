import { join } from 'node:path';
import { expect, test } from 'vitest';
import { App, Organization, Workspace } from '../../src/constructs/index.ts';
import { InvalidConfigurationError, testConfiguration } from '../../src/index.ts';
import { folderWith } from '../support/attune.ts';

const files = {
  'attune.yaml': `attune: 1
organization: acme
include: [workspaces/*.yaml]
projects: {platform: prj-platform}
teams: {sre: team-sre, developers: team-developers}
defaults: {workspace: {auto-apply: false}}
templates:
  service:
    iac-version: "~> 1.9.0"
team-access:
  platform: {sre: admin, developers: {access: custom, workspace-access: {runs: plan}}}
`,
  'workspaces/prod.yaml': `workspaces:
  network-prod: {project: platform, extends: service, tags: [prod], protect: true}
  billing-prod: {tags: [prod], auto-apply: true}
  legacy: {state: absent}
`,
};
const seed = {
  organization: 'acme',
  projects: { Platform: 'prj-platform' },
  teams: { sre: 'team-sre', developers: 'team-developers' },
  workspaces: { 'network-prod': { project: 'Platform', tags: ['prod'] } },
};

async function tested(texts: Readonly<Record<string, string>> = files) {
  return testConfiguration('attune.yaml', { cwd: await folderWith(texts) });
}

test('testConfiguration returns the effective values of each declared workspace with their origins', async () => {
  const { workspaces, workspace } = await tested();
  expect(workspaces().map(({ name }) => name)).toEqual(['network-prod', 'billing-prod']);
  const network = workspace('network-prod');
  expect(network).toMatchObject({
    organization: 'acme',
    address: 'workspace.network-prod',
    project: 'platform',
    tags: ['prod'],
    protect: true,
    location: 'workspaces/prod.yaml:2:3',
  });
  expect([network.managed('auto-apply'), network.origin('auto-apply')]).toEqual([false, 'attune.yaml:6:24']);
  expect([network.managed('iac-version'), network.origin('iac-version')]).toEqual([
    '~> 1.9.0',
    'attune.yaml:9:5',
  ]);
  expect([
    workspace('billing-prod').managed('auto-apply'),
    workspace('billing-prod').origin('auto-apply'),
  ]).toEqual([true, 'workspaces/prod.yaml:3:32']);
});

test('testConfiguration returns an unmanaged value as undefined, and managed throws for it', async () => {
  const { workspace } = await tested();
  const network = workspace('network-prod');
  expect(network.attributes['execution-mode']).toBeUndefined();
  expect(network.origin('execution-mode')).toBeUndefined();
  expect(() => network.managed('execution-mode')).toThrow(
    expect.objectContaining({
      code: 'unmanaged',
      message: 'workspace.network-prod does not manage execution-mode: the live value can be any',
      hint: 'declare execution-mode at workspaces/prod.yaml:2:3, in a template or in defaults',
    }),
  );
});

test('testConfiguration selects workspaces by name, tag and project, all of which must match', async () => {
  const { workspaces } = await tested();
  const names = (...selector: Parameters<typeof workspaces>) =>
    workspaces(...selector).map(({ name }) => name);
  expect(names({ tag: 'prod' })).toEqual(['network-prod', 'billing-prod']);
  expect(names({ tag: 'prod', project: 'platform' })).toEqual(['network-prod']);
  expect(names({ name: ['billing-*', 'nothing'] })).toEqual(['billing-prod']);
});

test('a selector of testConfiguration that matches nothing is an error, so that no test passes without a check', async () => {
  const { workspaces, grants, workspace } = await tested();
  expect(() => workspaces({ tag: 'prodd' })).toThrow(
    expect.objectContaining({ code: 'no-match', message: 'no declared workspace matches {"tag":"prodd"}' }),
  );
  expect(() => grants({ team: 'auditors' })).toThrow('no declared grant matches {"team":"auditors"}');
  expect(() => workspace('network-prd')).toThrow(
    expect.objectContaining({
      message: 'workspace.network-prd is not declared',
      hint: 'did you mean "network-prod"?',
    }),
  );
});

test('testConfiguration returns grants with their permissions', async () => {
  const { grants } = await tested();
  expect(grants({ team: 'sre' })).toMatchObject([
    { project: 'platform', team: 'sre', access: 'admin', permissions: {}, location: 'attune.yaml:11:14' },
  ]);
  expect(grants({ team: 'developers' })[0]?.permissions).toMatchObject({
    'workspace-access.runs': 'plan',
    'workspace-access.variables': 'none',
  });
});

test('testConfiguration leaves out access that has ended', async () => {
  const { grants } = await tested({
    'attune.yaml': `attune: 1
organization: acme
team-access:
  prj-1:
    team-1: {access: admin, until: 2026-01-31}
    team-2: {access: read, until: 2099-12-31}
`,
  });
  expect(grants().map(({ team }) => team)).toEqual(['team-2']);
});

test('testConfiguration throws with every error and its location', async () => {
  const broken = {
    ...files,
    'workspaces/prod.yaml': 'workspaces: {a: {auto-aply: true}, b: {extends: none}}\n',
  };
  const error = await tested(broken).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(InvalidConfigurationError);
  const { message, diagnostics } = error as InvalidConfigurationError;
  expect(message).toContain('workspaces/prod.yaml:1:18: error[unknown-key]');
  expect(message).toContain('workspaces/prod.yaml:1:49: error[');
  expect(diagnostics).toHaveLength(2);
});

test('testConfiguration accepts a program of constructs', async () => {
  const app = new App({ outdir: join(await folderWith({}), 'out') });
  new Workspace(new Organization(app, 'acme'), 'network', { autoApply: true });
  const { workspace } = await testConfiguration(app);
  expect(workspace('network').managed('auto-apply')).toBe(true);
  expect(workspace('network').location).toContain('test-configuration.test.ts:');
});

test('testConfiguration plans against a seed without a service', async () => {
  const configuration = await tested();
  const { changes, summary } = await configuration.plan({ live: seed });
  expect(summary).toMatchObject({ create: 3, update: 1, delete: 0 });
  expect(changes.map(({ address }) => address)).toContain('workspace.network-prod');
});

test('plan of testConfiguration needs the organization if several root files are loaded', async () => {
  const root = (name: string) => `attune: 1\norganization: ${name}\nworkspaces: {app: {}}\n`;
  const cwd = await folderWith({ 'a.yaml': root('emea'), 'b.yaml': root('apac') });
  const configuration = await testConfiguration(['a.yaml', 'b.yaml'], { cwd });
  expect(configuration.workspaces().map(({ organization }) => organization)).toEqual(['emea', 'apac']);
  await expect(configuration.plan()).rejects.toThrow('plan needs one root file: 2 are loaded');
  expect((await configuration.plan({ organization: 'apac' })).organization).toBe('apac');
});

const guardrails = `policies:
  - {id: no-auto, on: workspace, require: "!workspace.attributes['auto-apply']", message: Never automatically.}
`;

test('testConfiguration checks plans with policy files, of root files and of programs', async () => {
  const cwd = await folderWith({ ...files, 'guards/p.yaml': guardrails });
  const options = { cwd, policies: ['guards/p.yaml'] };
  const app = new App({ outdir: await folderWith({}) });
  const organization = new Organization(app, 'acme');
  new Workspace(organization, 'billing-prod', { autoApply: true });
  for (const source of ['attune.yaml', app]) {
    const { plan } = await testConfiguration(source, options);
    const { policies, diagnostics } = await plan({ live: seed });
    expect(policies).toMatchObject([{ id: 'no-auto', violations: 1 }]);
    expect(diagnostics.filter(({ code }) => code === 'policy').map(({ address }) => address)).toEqual([
      'workspace.billing-prod',
    ]);
  }
});

test('testConfiguration reports the errors of policy files', async () => {
  const cwd = await folderWith({ ...files, 'p.yaml': 'policies: [{id: x, require: "1 +"}]\n' });
  const app = new App({ outdir: await folderWith({}) });
  new Organization(app, 'acme');
  for (const source of ['attune.yaml', app]) {
    const error = await testConfiguration(source, { cwd, policies: ['p.yaml'] }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(InvalidConfigurationError);
    expect(String((error as Error).message)).toContain('p.yaml:1:');
  }
});

test('a plan of a test shows that a policy refuses other aliases of a team', async () => {
  const policy =
    "{id: read, on: grant, when: grant.teamName == 'contractors', require: grant.access == 'read', message: Read.}";
  const cwd = await folderWith({
    'attune.yaml':
      'attune: 1\norganization: acme\nteams: {friends: {name: contractors}}\nteam-access: {prj-a: {friends: admin}}\n',
    'p.yaml': `policies: [${policy}]\n`,
  });
  const { plan } = await testConfiguration('attune.yaml', { cwd, policies: ['p.yaml'] });
  const { policies } = await plan({
    live: { projects: { A: 'prj-a' }, teams: { contractors: 'team-contractors' } },
  });
  expect(policies).toMatchObject([{ id: 'read', checked: 1, violations: 1 }]);
});
