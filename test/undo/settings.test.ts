import { expect, test } from 'vitest';
import { sendTo } from '../support/ask.ts';
import { worldWith } from '../support/attune.ts';

const flags = ['--yes', '--quiet'];
const overwrites = ['setting-overwrites.execution-mode', 'setting-overwrites.agent-pool'];

test.each(['iac', 'terraform'] as const)(
  'undo creates a workspace of the %s dialect that inherited its execution mode without its own mode',
  async (dialect) => {
    const world = await worldWith(
      'attune: 1\norganization: acme\nworkspaces:\n  old: {state: absent, delete: force}\n  other: {}\n',
      {
        dialect,
        seed: {
          workspaces: {
            old: { 'setting-overwrites': { 'execution-mode': false, 'agent-pool': false } },
            other: {},
          },
        },
      },
    );
    const settings = async () => {
      const shown = await world.attune('workspace', 'show', 'old', '--format', 'json');
      const [workspace] = JSON.parse(shown.stdout).workspaces;
      return Object.fromEntries(overwrites.map((path) => [path, workspace.settings[path]]));
    };
    const before = await settings();
    expect(before).toEqual(Object.fromEntries(overwrites.map((path) => [path, false])));
    await world.attune('apply', ...flags, '--journal', 'run.ndjson');
    const undone = await world.attune('undo', 'run.ndjson', ...flags);
    expect(undone.code, undone.stdout + undone.stderr).toBe(0);
    expect(await settings()).toEqual(before);
  },
);

test('undo cancels a destroy run that the apply scheduled beside an activity duration', async () => {
  const world = await worldWith(
    'attune: 1\norganization: acme\nworkspaces:\n  app: {auto-destroy-at: "2031-01-01T00:00:00Z"}\n',
    { seed: { workspaces: { app: { 'auto-destroy-activity-duration': '14d' } } } },
  );
  await world.attune('apply', ...flags, '--journal', 'run.ndjson');
  const undone = await world.attune('undo', 'run.ndjson', ...flags);
  expect([undone.code, undone.stdout], undone.stderr).toEqual([
    0,
    expect.stringContaining('auto-destroy-at: 2031-01-01T00:00:00Z -> (none)'),
  ]);
  const shown = await world.attune('workspace', 'show', 'app', '--format', 'json');
  expect(JSON.parse(shown.stdout).workspaces[0].settings).toMatchObject({
    'auto-destroy-at': null,
    'auto-destroy-activity-duration': '14d',
  });
});

test('undo reports a repository of an app installation that the service does not attach again', async () => {
  const repository = { identifier: 'acme/app', 'oauth-token-id': 'ot-1' };
  const world = await worldWith(
    `attune: 1
organization: acme
workspaces:
  app: {vcs-repo: null, description: changed}
  old: {state: absent, delete: force}
`,
    { seed: { workspaces: { app: { 'vcs-repo': repository }, old: { 'vcs-repo': repository } } } },
  );
  for (const name of ['app', 'old'])
    await sendTo(world.service, 'PATCH', `/organizations/acme/workspaces/${name}`, {
      data: { type: 'workspaces', attributes: { 'vcs-repo': { 'vcs-app-installation-id': 'ghain-1' } } },
    });
  await world.attune('apply', ...flags, '--max-deletes', '1', '--journal', 'run.ndjson');
  const undone = await world.attune('undo', 'run.ndjson', ...flags);
  expect([undone.code, undone.stdout], undone.stderr).toEqual([
    0,
    expect.stringContaining('Applied: 1 created, 1 updated, 0 deleted.'),
  ]);
  for (const name of ['app', 'old'])
    expect(undone.stderr).toContain(
      `warning[not-undoable]: workspace.${name}: its repository is not attached again: `,
    );
});

test('undo restores an inherited execution mode beside an own agent pool', async () => {
  const world = await worldWith(
    `attune: 1
organization: acme
agent-pools: {gpu: apool-2}
workspaces:
  app: {execution-mode: agent, agent-pool-id: gpu, setting-overwrites: {agent-pool: true}}
`,
    {
      seed: {
        'agent-pools': { shared: 'apool-1', gpu: 'apool-2' },
        settings: { 'default-execution-mode': 'agent', 'default-agent-pool': 'shared' },
        workspaces: { app: { 'agent-pool-id': 'gpu' } },
      },
    },
  );
  const settings = async () => {
    const shown = await world.attune('workspace', 'show', 'app', '--format', 'json');
    return JSON.parse(shown.stdout).workspaces[0].settings;
  };
  const before = await settings();
  expect(overwrites.map((path) => before[path])).toEqual([false, true]);
  await world.attune('apply', ...flags, '--journal', 'run.ndjson');
  expect(await settings()).not.toEqual(before);
  const undone = await world.attune('undo', 'run.ndjson', ...flags);
  expect(undone.code, undone.stdout + undone.stderr).toBe(0);
  expect(await settings()).toEqual(before);
});
