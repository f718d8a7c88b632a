import { expect, test } from 'vitest';
import type { Plan, PlannedChange } from '../../src/model/plan.ts';
import { healingPlan, wholeResult } from '../../src/watch/heal.ts';

function change(address: string, action: PlannedChange['action'], dependsOn: readonly string[] = []) {
  const call = { operation: 'updateWorkspace', method: 'PATCH', path: '/workspaces/ws-1' } as const;
  const [, name = ''] = address.split('.');
  return { address, kind: 'workspace', name, action, fields: [], calls: [call], dependsOn } as const;
}

function planOf(changes: readonly PlannedChange[]): Plan {
  return {
    ...{ organization: 'acme', address: 'embedded', dialect: 'iac', changes, unmanaged: [], diagnostics: [] },
    summary: { create: 0, update: 0, delete: 0, unchanged: 5, calls: changes.length },
  } as unknown as Plan;
}

const plan = planOf([
  change('workspace.a', 'update', ['workspace.b']),
  change('workspace.b', 'update', ['workspace.c']),
  change('workspace.c', 'delete'),
  change('workspace.d', 'create'),
]);

test('--heal update withholds deletions and every change that needs one of them', () => {
  const healing = healingPlan(plan, 'update');
  expect(healing.plan.changes.map(({ address }) => address)).toEqual(['workspace.d']);
  expect(healing.plan.summary).toEqual({ create: 1, update: 0, delete: 0, unchanged: 5, calls: 1 });
  expect(Object.fromEntries(healing.withheld)).toEqual({
    'workspace.a': 'not applied: needs workspace.b, which is not applied',
    'workspace.b': 'not applied: needs workspace.c, which is not applied',
    'workspace.c': 'not applied: --heal update makes no deletions',
  });
});

test('--heal all withholds nothing', () => {
  expect(healingPlan(plan, 'all')).toEqual({ plan, withheld: new Map() });
});

test('the result of the whole plan shows the applied and the withheld changes', () => {
  const healing = healingPlan(plan, 'update');
  const done = healing.plan.changes.map((one) => ({ ...one, result: 'done' as const, callsDone: 1 }));
  const whole = wholeResult(plan, { plan: healing.plan, changes: done, diagnostics: [] }, healing);
  expect(whole.plan).toBe(plan);
  expect(whole.changes.map(({ address, result, error }) => [address, result, error?.message])).toEqual([
    ['workspace.a', 'skipped', 'not applied: needs workspace.b, which is not applied'],
    ['workspace.b', 'skipped', 'not applied: needs workspace.c, which is not applied'],
    ['workspace.c', 'skipped', 'not applied: --heal update makes no deletions'],
    ['workspace.d', 'done', undefined],
  ]);
});
