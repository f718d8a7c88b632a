import { expect, test } from 'vitest';
import { sendTo } from '../support/ask.ts';
import { worldWith } from '../support/attune.ts';

const yaml = `attune: 1
organization: acme
workspaces:
  listed: {remote-state-consumers: [other]}
  closed: {remote-state-consumers: []}
  team: {project-remote-state: true}
  other: {}
`;

test('a service that shares new workspaces by default does not share those that declare consumers or their project', async () => {
  const world = await worldWith(yaml, {
    dialect: 'terraform',
    edition: 'self-hosted',
    seed: { organization: 'acme', workspaces: { live: {} } },
  });
  const applied = await world.attune('apply', '--yes');
  expect(applied.code, applied.stdout + applied.stderr).toBe(0);
  const data = await sendTo(world.service, 'GET', '/organizations/acme/workspaces');
  const shared = (data as { attributes: Record<string, unknown> }[]).map(({ attributes }) => [
    attributes.name,
    attributes['global-remote-state'],
    attributes['project-remote-state'],
  ]);
  expect(shared.sort()).toEqual([
    ['closed', false, false],
    ['listed', false, false],
    ['live', true, false],
    ['other', true, false],
    ['team', false, true],
  ]);
  const planned = await world.attune('plan');
  expect(planned.stdout).toContain('No changes.');
});
