import { expect, test } from 'vitest';
import { worldWith } from '../support/attune.ts';

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
