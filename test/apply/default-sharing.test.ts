import { expect, test } from 'vitest';
import type { Risk } from '../../src/check/risks.ts';
import type { ApplyResult } from '../../src/model/apply-result.ts';
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

const seed = { settings: { 'global-remote-state': true } } as const;

async function applied(workspaces: string) {
  const world = await worldWith(`attune: 1\norganization: acme\nworkspaces:\n${workspaces}`, {
    seed,
    dialect: 'terraform',
  });
  const { stdout, stderr, code } = await world.attune('apply', '--yes', '--format', 'json', '--no-journal');
  const result = JSON.parse(stdout) as ApplyResult['plan'] & { readonly risks: readonly Risk[] };
  return { result, code, stderr };
}

test('a create whose answer shows undeclared sharing is a risk of the result', async () => {
  const { result, code } = await applied('  app: {}\n  other: {remote-state-consumers: [app]}\n');
  expect(code).toBe(0);
  expect(result.risks).toEqual([
    { kind: 'state-access-gained', address: 'workspace.app', workspaces: ['*'] },
    { kind: 'state-access-gained', address: 'workspace.other', workspaces: ['app'] },
  ]);
  expect(result.effects.stateAccess).toEqual([
    { workspace: 'app', gains: ['*'], loses: [] },
    { workspace: 'other', gains: ['app'], loses: [] },
  ]);
  expect(result.diagnostics.map(({ code: one, address }) => [one, address])).toEqual([
    ['shared-by-default', 'workspace.app'],
  ]);
});
