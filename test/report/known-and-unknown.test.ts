import { expect, test } from 'vitest';
import { worldWith } from '../support/attune.ts';

const head = 'attune: 1\norganization: acme\n';

test('team access that was not read is unknown on the page, and not "no access"', async () => {
  const world = await worldWith(`${head}workspaces: {app: {}}\nteam-access: {prj-core: {team-sre: read}}\n`, {
    seed: {
      projects: { core: 'prj-core', pay: 'prj-pay' },
      teams: { sre: 'team-sre' },
      workspaces: { app: { project: 'pay' } },
      'team-access': { core: { sre: 'write' } },
    },
  });
  const { stdout } = await world.attune('plan', '--format', 'html');
  expect(stdout).toContain('Team access of <b>pay</b>: unknown (not read).');
});
