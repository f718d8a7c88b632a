import { join } from 'node:path';
import { expect, test } from 'vitest';
import { App, Organization, Workspace } from '../../src/constructs/index.ts';
import { type AttuneError, testConfiguration } from '../../src/index.ts';
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
  const { workspaces } = await tested();
  const [network, billing, ...others] = workspaces();
  expect(others).toEqual([]);
  expect(network).toMatchObject({
    name: 'network-prod',
    project: 'platform',
    tags: ['prod'],
    protect: true,
    location: 'workspaces/prod.yaml:2:3',
    attributes: { 'auto-apply': false, 'iac-version': '~> 1.9.0' },
    origins: { 'auto-apply': 'attune.yaml:6:24', 'iac-version': 'attune.yaml:9:5' },
  });
  expect(network?.attributes['execution-mode']).toBeUndefined();
  expect(network?.origins['execution-mode']).toBeUndefined();
  expect(billing?.attributes['auto-apply']).toBe(true);
  expect(billing?.origins['auto-apply']).toBe('workspaces/prod.yaml:3:32');
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
  const { workspaces } = await tested();
  expect(() => workspaces({ tag: 'prodd' })).toThrow(
    expect.objectContaining({ code: 'no-match', message: 'no declared workspace matches {"tag":"prodd"}' }),
  );
});

test('testConfiguration throws with every error and its location', async () => {
  const broken = {
    ...files,
    'workspaces/prod.yaml': 'workspaces: {a: {auto-aply: true}, b: {extends: none}}\n',
  };
  const error = await tested(broken).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: 'AttuneError', code: 'invalid' });
  const { message } = error as AttuneError;
  expect(message).toContain('workspaces/prod.yaml:1:18: error[unknown-key]');
  expect(message).toContain('workspaces/prod.yaml:1:49: error[');
});

test('testConfiguration accepts a program of constructs', async () => {
  const app = new App({ outdir: join(await folderWith({}), 'out') });
  new Workspace(new Organization(app, 'acme'), 'network', { autoApply: true });
  const [network] = (await testConfiguration(app)).workspaces({ name: 'network' });
  expect(network?.attributes['auto-apply']).toBe(true);
  expect(network?.location).toContain('test-configuration.test.ts:');
});

test('testConfiguration plans against a seed without a service', async () => {
  const configuration = await tested();
  const { changes, summary } = await configuration.plan(seed);
  expect(summary).toMatchObject({ create: 3, update: 1, delete: 0 });
  expect(changes.map(({ address }) => address)).toContain('workspace.network-prod');
});

test('plan of testConfiguration requires one root file', async () => {
  const root = (name: string) => `attune: 1\norganization: ${name}\nworkspaces: {app: {}}\n`;
  const cwd = await folderWith({ 'a.yaml': root('emea'), 'b.yaml': root('apac') });
  const configuration = await testConfiguration(['a.yaml', 'b.yaml'], { cwd });
  await expect(configuration.plan()).rejects.toThrow('plan requires one root file, not 2');
});

const guardrails = `policies:
  - {id: no-auto, on: workspace, require: "!workspace.attributes['auto-apply']", message: Never automatically.}
`;

test('testConfiguration checks plans with policy files', async () => {
  const cwd = await folderWith({ ...files, 'guards/p.yaml': guardrails });
  const { plan } = await testConfiguration('attune.yaml', { cwd, policies: ['guards/p.yaml'] });
  const { policies, diagnostics } = await plan(seed);
  expect(policies).toMatchObject([{ id: 'no-auto', violations: 1 }]);
  expect(diagnostics.filter(({ code }) => code === 'policy').map(({ address }) => address)).toEqual([
    'workspace.billing-prod',
  ]);
});

test('testConfiguration reports the errors of policy files', async () => {
  const cwd = await folderWith({ ...files, 'p.yaml': 'policies: [{id: x, require: "1 +"}]\n' });
  await expect(testConfiguration('attune.yaml', { cwd, policies: ['p.yaml'] })).rejects.toThrow('p.yaml:1:');
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
  const { policies } = await plan({ projects: { A: 'prj-a' }, teams: { contractors: 'team-contractors' } });
  expect(policies).toMatchObject([{ id: 'read', checked: 1, violations: 1 }]);
});
