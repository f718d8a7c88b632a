import { expect, test } from 'vitest';
import type { ApplyResult } from '../../src/model/apply-result.ts';
import type { Risk } from '../../src/plan/risks.ts';
import { worldWith } from '../support/attune.ts';

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

test('declared sharing of a new workspace is one risk, without a warning of the result', async () => {
  const { result } = await applied('  app: {global-remote-state: true}\n');
  expect(result.risks).toHaveLength(1);
  expect(result.diagnostics.map(({ code }) => code)).not.toContain('shared-by-default');
});
