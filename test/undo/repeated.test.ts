import { expect, test } from 'vitest';
import { sendTo, workspaceBody } from '../support/ask.ts';
import { attune, folderWith, serviceWith, type World, worldWith } from '../support/attune.ts';
import { partialService } from '../support/partial-service.ts';
import { liveState } from './live-state.ts';

const flags = ['--yes', '--quiet'];
const head = 'attune: 1\norganization: acme\nlimits: {delete-percent: 100}\n';
const noConsumers = ['PATCH', 'POST'].map((method) => ({
  kind: 'status' as const,
  status: 403,
  method,
  path: '*/remote-state-consumers',
}));
const workspacesOf = async ({ service }: World) => {
  const state = await liveState({ url: service.url, dialect: 'terraform' });
  return Object.keys(state).filter((address) => address.startsWith('workspace.'));
};

test('a repeated undo deletes a created workspace whose consumer the first one deleted', async () => {
  const world = await worldWith(`${head}workspaces: {a: {remote-state-consumers: [b]}, b: {}}\n`, {
    dialect: 'terraform',
  });
  expect((await world.attune('apply', ...flags)).code).toBe(0);
  const { id } = await workspace(world, 'a');
  world.service.setFaults([
    { kind: 'status', status: 500, method: 'POST', path: `/workspaces/${id}/actions/safe-delete` },
  ]);
  expect((await world.attune('undo', '--last', ...flags)).code).toBe(1);
  world.service.setFaults([]);
  expect(await workspacesOf(world)).toEqual(['workspace.a']);

  const { code, stderr } = await world.attune('undo', '--last', ...flags);
  expect(code, stderr).toBe(0);
  expect(await workspacesOf(world)).toEqual([]);
});

const scheduled = `${head}service: {dialect: terraform}\nprojects: {ours: {name: Ours}, other: {name: Other}}\n`;

test.each([
  ['begins to inherit an equal one', 'auto-destroy-activity-duration: null'],
  ['moves and begins to inherit', 'project: other, auto-destroy-activity-duration: null'],
  ['moves', 'project: other'],
])(
  'undo restores an own destroy duration that equals the one of the project after a run with which it %s',
  async (_how, set) => {
    const world = await worldWith(`${scheduled}workspaces: {app: {${set}}}\n`, {
      dialect: 'terraform',
      seed: {
        projects: {
          Ours: { id: 'prj-ours', 'auto-destroy-activity-duration': '14d' },
          Other: { id: 'prj-other', 'auto-destroy-activity-duration': '14d' },
        },
        workspaces: { app: { project: 'Ours', 'auto-destroy-activity-duration': '14d' } },
      },
    });
    const before = await workspace(world, 'app');
    expect(before.attributes['inherits-project-auto-destroy']).toBe(false);
    const applied = await world.attune('apply', ...flags);
    expect(applied.code, applied.stderr).toBe(0);
    const { code, stderr } = await world.attune('undo', '--last', ...flags);
    expect(code, stderr).toBe(0);
    const { attributes, relationships } = await workspace(world, 'app');
    expect(attributes).toMatchObject({
      'auto-destroy-activity-duration': '14d',
      'inherits-project-auto-destroy': false,
    });
    expect(relationships.project).toEqual(before.relationships.project);
    expect((await world.attune('undo', '--last', ...flags)).code).toBe(0);
  },
);

function workspace({ service }: World, name: string) {
  return sendTo(service, 'GET', `/organizations/acme/workspaces/${name}`);
}

test('a repeated undo completes a workspace that the first one created on a service that does not return runs', async () => {
  const service = await serviceWith({
    dialect: 'terraform',
    seed: { workspaces: { app: { description: 'ours', 'remote-state-consumers': ['other'] }, other: {} } },
  });
  const address = await partialService(service.url, { hidden: ['current-run'] });
  const folder = await folderWith({ 'attune.yaml': `${head}workspaces: {app: {state: absent}}\n` });
  const run = (...argv: string[]) =>
    attune([...argv, ...flags, '--address', address], { cwd: folder, env: { ATTUNE_TOKEN: 'test-token' } });
  expect((await run('apply')).code).toBe(0);
  service.setFaults(noConsumers);
  expect((await run('undo', '--last')).code).toBe(1);
  service.setFaults([]);

  const { code, stderr } = await run('undo', '--last');
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('another one')]);
  expect(await liveState({ url: service.url, dialect: 'terraform' })).toMatchObject({
    'workspace.app': { description: 'ours', 'remote-state-consumers': ['other'] },
  });
});

test('a repeated undo keeps what another user changed in a workspace that the first one created', async () => {
  const world = await worldWith(`${head}workspaces: {app: {state: absent}}\n`, {
    dialect: 'terraform',
    seed: { workspaces: { app: { description: 'ours', 'remote-state-consumers': ['other'] }, other: {} } },
  });
  expect((await world.attune('apply', ...flags)).code).toBe(0);
  world.service.setFaults(noConsumers);
  expect((await world.attune('undo', '--last', ...flags)).code).toBe(1);
  world.service.setFaults([]);
  const { id } = await workspace(world, 'app');
  await sendTo(world.service, 'PATCH', `/workspaces/${id}`, workspaceBody({ description: 'theirs' }));

  const { code, stderr, stdout } = await world.attune('undo', '--last', ...flags);
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(
      'description of workspace.app is not reverted: the undo left it "ours", but it is now "theirs"',
    ),
  ]);
  expect(stdout).toContain('remote-state-consumers: +other');
});

test('a repeated undo does not take a project for another one that the first undo created', async () => {
  const world = await worldWith(
    `${head}projects: {pay: {name: Payments, manage: true, description: ours, state: absent}}\n`,
    { dialect: 'terraform', seed: { projects: { Payments: { id: 'prj-1', description: 'ours' } } } },
  );
  expect((await world.attune('apply', ...flags, '--journal', 'run.jsonl')).code).toBe(0);
  expect((await world.attune('undo', 'run.jsonl', ...flags)).code).toBe(0);
  const [{ id }] = await sendTo(world.service, 'GET', '/organizations/acme/projects?filter[names]=Payments');
  const body = { data: { type: 'projects', attributes: { description: 'theirs' } } };
  await sendTo(world.service, 'PATCH', `/projects/${id}`, body);
  const { code, stderr } = await world.attune('undo', 'run.jsonl', ...flags);
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('it differs from the one that an undo created again: description'),
  ]);
});
