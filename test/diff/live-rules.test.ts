import { describe, expect, test } from 'vitest';
import type { WorkspaceSeed } from '../../src/emulator/index.ts';
import { worldWith } from '../support/attune.ts';

const repository = { identifier: 'acme/app', 'oauth-token-id': 'ot-1' };

/** Plans `app`, declared and live so, against a live service, and returns the errors and the calls. */
async function planned(declared: string, live: WorkspaceSeed | undefined) {
  // Without a live workspace, only the file gives the dialect.
  const service = live ? '' : 'service: {dialect: terraform}';
  const world = await worldWith(
    `attune: 1\norganization: acme\n${service}\nworkspaces: {app: ${declared}}\n`,
    {
      dialect: 'terraform',
      seed: { 'agent-pools': { onprem: 'apool-1' }, workspaces: live ? { app: live } : {} },
    },
  );
  const { stdout, stderr, code } = await world.attune('plan', '--format', 'json');
  const document = JSON.parse(stdout);
  return { world, code, stderr, document };
}

describe('trigger settings that a live service does not take together with live ones are an error of the plan', () => {
  test.each([
    [
      '{trigger-patterns: [a]}',
      { 'file-triggers-enabled': false },
      '"app" declares trigger-patterns and live it has file-triggers-enabled: false: this service accepts only one of the two',
      'add `file-triggers-enabled: true`',
    ],
    [
      '{file-triggers-enabled: false}',
      { 'trigger-patterns': ['a'] },
      '"app" declares file-triggers-enabled: false and live it has trigger-patterns: this service accepts only one of the two',
      'add `trigger-patterns: []`',
    ],
    [
      '{trigger-prefixes: [a]}',
      { 'file-triggers-enabled': false, 'vcs-repo': { ...repository, 'tags-regex': '^v' } },
      '"app" declares trigger-prefixes and live it has vcs-repo.tags-regex: this service accepts only one of the two',
      'add `vcs-repo: {tags-regex: null}`',
    ],
    [
      '{vcs-repo: {identifier: acme/app, oauth-token-id: ot-1, tags-regex: "^v"}}',
      undefined,
      '"app" declares vcs-repo.tags-regex and by default it has file-triggers-enabled: true: this service accepts only one of the two',
      'add `file-triggers-enabled: false`',
    ],
    [
      '{trigger-patterns: [a], file-triggers-enabled: false}',
      {},
      '"app" declares trigger-patterns and file-triggers-enabled: false: this service accepts only one of the two',
      'keep one of the two triggers',
    ],
  ])(
    'trigger settings that a service does not accept together with live ones are an error of the plan: %s over %o',
    async (declared, live, message, hint) => {
      const { code, document, world } = await planned(declared, live);
      const errors = document.diagnostics.filter(
        ({ severity }: { severity: string }) => severity === 'error',
      );
      expect(errors).toMatchObject([{ code: 'exclusive-settings', message, hint, location: { line: 4 } }]);
      expect([code, world.writes()]).toEqual([1, []]);
    },
  );
});

test('the time of a destroy run outlives the duration that is cleared beside it', async () => {
  const time = '2027-01-31T18:00:00Z';
  const { document, world } = await planned(
    `{auto-destroy-at: ${time}, auto-destroy-activity-duration: null}`,
    { 'auto-destroy-at': time, 'auto-destroy-activity-duration': '14d' },
  );
  expect(document.changes[0].calls[0].body.data.attributes).toEqual({
    'auto-destroy-at': time,
    'auto-destroy-activity-duration': null,
    'inherits-project-auto-destroy': false,
  });
  await world.attune('apply', '--yes');
  expect((await world.attune('plan', '--detailed-exitcode')).code).toBe(0);
});

test('the schedule that a workspace inherits is in workspace show and in what policies see', async () => {
  const duration = 'auto-destroy-activity-duration';
  const world = await worldWith(
    `attune: 1
organization: acme
workspaces: {app: {${duration}: null}}
policies:
  - id: never
    on: workspace
    require: workspace.attributes['${duration}'] == null
    message: No schedules.
`,
    {
      dialect: 'terraform',
      seed: { projects: { Shop: { [duration]: '3d' } }, workspaces: { app: { project: 'Shop' } } },
    },
  );
  const shown = await world.attune('workspace', 'show', 'app', '--format', 'json');
  expect(JSON.parse(shown.stdout).workspaces[0].settings).toMatchObject({ [duration]: '3d' });
  const { code, stderr } = await world.attune('plan');
  expect([code, stderr]).toEqual([1, expect.stringContaining('error[policy]')]);
});

test('a workspace gets its own schedule before the shorter one of its project applies', async () => {
  const duration = 'auto-destroy-activity-duration';
  const world = await worldWith(
    `attune: 1
organization: acme
service: {dialect: terraform}
projects: {shop: {id: prj-shop, manage: true, ${duration}: 1d}}
workspaces: {app: {project: shop, ${duration}: 30d}, other: {project: shop, ${duration}: null}}
`,
    {
      dialect: 'terraform',
      seed: {
        projects: { Shop: { id: 'prj-shop', [duration]: '30d' } },
        workspaces: { app: { id: 'ws-app', project: 'Shop' }, other: { project: 'Shop' } },
      },
    },
  );
  expect((await world.attune('apply', '--yes')).code).toBe(0);
  const writes = world.service.requests.filter(({ method }) => method === 'PATCH');
  expect(writes.map(({ path }) => path)).toEqual(['/workspaces/ws-app', '/projects/prj-shop']);
  expect((await world.attune('plan', '--detailed-exitcode')).code).toBe(0);
});

describe('no agent pool', () => {
  test('agent-pool-id null has no change on a workspace that inherits a pool', async () => {
    const world = await worldWith(
      'attune: 1\norganization: acme\nworkspaces: {app: {agent-pool-id: null}}\n',
      {
        seed: {
          'agent-pools': { onprem: 'apool-1' },
          settings: { 'default-execution-mode': 'agent', 'default-agent-pool': 'onprem' },
          workspaces: { app: {} },
        },
      },
    );
    expect((await world.attune('plan', '--detailed-exitcode')).code).toBe(0);
  });

  test('agent-pool-id null is an error of the plan if the live execution mode is agent', async () => {
    const { document } = await planned('{agent-pool-id: null}', {
      'execution-mode': 'agent',
      'agent-pool-id': 'onprem',
    });
    expect(document.diagnostics).toMatchObject([
      {
        code: 'missing-key',
        message: '"app" declares no agent pool, but its execution mode is agent',
        hint: 'name a pool, declare another execution-mode, or use the pool of the organization (setting-overwrites: {agent-pool: false})',
      },
    ]);
  });
});
