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
