import { expect, test } from 'vitest';
import { grantTarget } from '../../src/diff/grants.ts';
import type { Seed } from '../../src/emulator/index.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import type { Dialect } from '../../src/model/dialect.ts';
import { worldWith } from '../support/attune.ts';

const projects = { Payments: 'prj-pay' };
const teams = { sre: 'team-sre' };

async function worldOf(grant: string, dialect: Dialect, seed: Seed = {}, service = '') {
  return worldWith(
    `attune: 1\norganization: acme\n${service}\nworkspaces: {app: {}}\nteam-access:\n  prj-pay:\n    team-sre: ${grant}\n`,
    { dialect, seed: { projects, teams, workspaces: { app: {} }, ...seed } },
  );
}

const both =
  '{access: custom, project-access: {variable-sets: write}, workspace-access: {policy-overrides: true}}';

test('apply writes variable-sets and policy-overrides on a terraform service, and the next plan has no change', async () => {
  const world = await worldOf(both, 'terraform');
  expect((await world.attune('apply', '--yes')).code).toBe(0);
  expect(world.writes()).toHaveLength(1);
  const again = await world.attune('plan', '--format', 'json');
  expect(JSON.parse(again.stdout).summary).toMatchObject({ create: 0, update: 0, calls: 0 });
});

test('plan fails at the line of a permission that an iac service does not have', async () => {
  const world = await worldOf(both, 'iac');
  const { stderr, code } = await world.attune('plan');
  expect(stderr).toContain(
    'attune.yaml:7:49: error[not-in-dialect]: project-access.variable-sets does not exist in the `iac` dialect: only `terraform` services have it',
  );
  expect([code, world.writes()]).toEqual([1, []]);
});

test('validate fails at the line of a permission that the declared dialect does not have', async () => {
  const world = await worldOf(both, 'iac', {}, 'service: {dialect: iac}');
  const { stdout, code } = await world.attune('validate');
  expect(stdout).toContain('error[not-in-dialect]: workspace-access.policy-overrides does not exist');
  expect(code).toBe(1);
});

test('a permission that the server does not return is not compared, and naming it is a note', () => {
  const grant = { kind: 'team-access', address: 'team-access.pay/sre', name: 'pay/sre' } as const;
  const access = { project: 'prj-pay', team: 'team-sre', access: 'custom' } as const;
  const desired = {
    ...grant,
    attributes: {
      ...access,
      'project-access.variable-sets': 'write',
      'workspace-access.runs': 'plan',
      'workspace-access.policy-overrides': false,
    },
  };
  const diagnostics: Diagnostic[] = [];
  const target = grantTarget(desired, { ...grant, attributes: access }, 'terraform', diagnostics);
  expect(target.attributes).toEqual(access);
  const shown = diagnostics.map(({ severity, code, message, address }) => [
    `${severity} ${code}: ${message}`,
    address,
  ]);
  expect(shown).toEqual([
    [
      'note not-offered: project-access.variable-sets of "pay/sre" is ignored: this service does not return it',
      'team-access.pay/sre',
    ],
    [
      'note not-offered: workspace-access.runs of "pay/sre" is ignored: this service does not return it',
      'team-access.pay/sre',
    ],
  ]);
});
