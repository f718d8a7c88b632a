import { expect, test } from 'vitest';
import type { AppliedChange } from '../../src/model/apply-result.ts';
import type { Plan, PlannedChange } from '../../src/model/plan.ts';
import { healingPlan, isHealed, plannedDeletions, wholeResult } from '../../src/run/cycle/heal.ts';
import { rowsIn } from '../support/rows.ts';

function change(address: string, action: PlannedChange['action'], dependsOn: readonly string[] = []) {
  const call = { operation: 'updateWorkspace', method: 'PATCH', path: '/workspaces/ws-1' } as const;
  const [, name = ''] = address.split('.');
  return { address, kind: 'workspace', name, action, fields: [], calls: [call], dependsOn } as const;
}

function planOf(changes: readonly PlannedChange[]): Plan {
  return {
    organization: 'acme',
    address: 'embedded',
    dialect: 'iac',
    changes,
    unmanaged: [],
    diagnostics: [],
    summary: { create: 0, update: 0, delete: 0, unchanged: 5, calls: changes.length },
    effects: { stateAccess: [], moves: [] },
  } as unknown as Plan;
}

const plan = planOf([
  change('workspace.a', 'update', ['workspace.b']),
  change('workspace.b', 'update', ['workspace.c']),
  change('workspace.c', 'delete'),
  change('workspace.d', 'create'),
]);

const none = new Set<string>();
const plannedBefore = (...plans: readonly Plan[]) => plannedDeletions(plans);

test('--heal update withholds deletions and every change that needs one of them', () => {
  const healing = healingPlan(plan, 'update', plannedBefore(plan));
  expect(healing.plan.changes.map(({ address }) => address)).toEqual(['workspace.d']);
  expect(healing.plan.summary).toEqual({ create: 1, update: 0, delete: 0, unchanged: 5, calls: 1 });
  expect(Object.fromEntries(healing.withheld)).toEqual({
    'workspace.a': 'not applied: needs workspace.b, which is not applied',
    'workspace.b': 'not applied: needs workspace.c, which is not applied',
    'workspace.c': 'not applied: --heal update makes no deletions',
  });
});

test('--heal all withholds nothing of a plan whose deletions the cycle before planned, too', () => {
  const before = plannedBefore(plan);
  expect(healingPlan(plan, 'all', before)).toEqual({ plan, withheld: new Map(), waiting: [] });
});

test('--heal all withholds deletions that the cycle before did not plan, and every change that needs one of them', () => {
  const healing = healingPlan(plan, 'all', none);
  expect(healing.plan.changes.map(({ address }) => address)).toEqual(['workspace.d']);
  expect(healing.waiting.map(({ address }) => address)).toEqual(['workspace.c']);
  expect(Object.fromEntries(healing.withheld)).toEqual({
    'workspace.a': 'not applied: needs workspace.b, which is not applied',
    'workspace.b': 'not applied: needs workspace.c, which is not applied',
    'workspace.c': 'not applied: a deletion is applied when two cycles in a row plan it',
  });
});

test.each([
  ['of another workspace with the same name', { id: 'ws-2' }],
  ['by force instead of a safe one', { mode: 'force' }],
] as const)('--heal all withholds a deletion %s than the cycle before planned', (_, changed) => {
  const deletion = { ...change('workspace.c', 'delete'), id: 'ws-1', mode: 'safe' } as const;
  const before = plannedBefore(planOf([deletion]));
  expect(healingPlan(planOf([deletion]), 'all', before).waiting).toEqual([]);
  const other = { ...deletion, ...changed };
  expect(healingPlan(planOf([other]), 'all', before).waiting).toEqual([other]);
  const elsewhere = { ...planOf([deletion]), address: 'https://elsewhere.example' };
  expect(healingPlan(elsewhere, 'all', before).waiting).toEqual([deletion]);
});

test('the result of the whole plan shows the applied and the withheld changes', () => {
  const healing = healingPlan(plan, 'update', none);
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

test.each(rowsIn<[string, object, string | null]>`
- [takes access from a team, {teams: [{team: dev, before: write, after: null, permissions: [{path: workspace-access.runs, before: apply, after: null}]}]}, '']
- [lowers the access of one team and raises that of another, {teams: [{team: dev, before: write, after: read, permissions: [{path: workspace-access.runs, before: apply, after: read}]}, {team: ops, before: read, after: write, permissions: [{path: workspace-access.runs, before: read, after: apply}]}]}, '']
- [goes to a project whose team access was not read, {teams: [{team: dev, before: read, after: unknown, permissions: []}], unknown: [web]}, '']
- [leaves a project whose team access was not read, {unknown: [platform]}, '']
- [raises the access of a team, {teams: [{team: dev, before: read, after: write, permissions: [{path: workspace-access.runs, before: read, after: apply}]}]}, ~]
- [changes no access, {}, ~]
- [leaves a project without teams for one whose team access was not read, {unknown: [web]}, ~]
`)('--heal update decides on a move by the access of teams: one that %s', (_, effect, why) => {
  const rule = 'not applied: --heal update moves no workspace if a team may have less access afterwards';
  const reason = why === null ? undefined : rule;
  const moved = change('workspace.a', 'update');
  const move = { workspace: 'a', from: 'platform', to: 'web', teams: [], unknown: [], ...effect };
  const plan = { ...planOf([moved]), effects: { stateAccess: [], moves: [move] } } as unknown as Plan;
  const healing = healingPlan(plan, 'update', none);
  expect(healing.withheld.get('workspace.a')).toBe(reason);
  expect(healing.plan.changes).toHaveLength(reason === undefined ? 1 : 0);
  expect(healingPlan(plan, 'all', none).withheld.size).toBe(0);
});

test.each(rowsIn<[string, Partial<PlannedChange>, object[], string | null]>`
- [an update schedules it, {fields: [{path: auto-destroy-activity-duration, before: null, after: 1d}]}, [], 'auto-destroy-activity-duration']
- [an update makes it earlier, {fields: [{path: auto-destroy-at, before: '2031-01-01T00:00:00Z', after: '2030-01-01T00:00:00Z'}]}, [], 'auto-destroy-at']
- [an update makes it later, {fields: [{path: auto-destroy-activity-duration, before: 12h, after: 1d}]}, [], ~]
- [an update gives up an own one that was later than the inherited one, {fields: [{path: auto-destroy-activity-duration, before: 90d, after: null, inEffect: {before: 90d, after: 1h}}]}, [], 'auto-destroy-activity-duration']
- [an update clears a time and inherits a duration, {fields: [{path: auto-destroy-at, before: '2031-01-01T00:00:00Z', after: null}]}, [{path: auto-destroy-activity-duration, before: null, after: 1h, from: project}], 'auto-destroy-activity-duration']
- [an update makes the inherited one its own, {fields: [{path: auto-destroy-activity-duration, before: null, after: 30d, inEffect: {before: 30d, after: 30d}}]}, [], ~]
- [a move brings it, {}, [{path: auto-destroy-activity-duration, before: null, after: 1d, from: move}], 'auto-destroy-activity-duration']
- [a move changes another setting, {}, [{path: execution-mode, before: remote, after: local, from: move}], ~]
- ['the project of the workspace brings it, whose own change is withheld', {}, [{path: auto-destroy-activity-duration, before: null, after: 1d, from: project}], ~]
`)('--heal update withholds a scheduled destruction: %s', (_, rest, inherited, why) => {
  const schedule = 'not applied: --heal update schedules no destruction';
  const reason = why === null ? undefined : `${schedule} (${why})`;
  const changed = { ...change('workspace.a', 'update'), ...rest };
  const effective = inherited.map((setting) => ({ address: 'workspace.a', ...setting }));
  const effects = { stateAccess: [], moves: [], inherited: effective };
  const plan = { ...planOf([changed]), effects } as unknown as Plan;
  expect(healingPlan(plan, 'update', none).withheld.get('workspace.a')).toBe(reason);
  expect(healingPlan(plan, 'all', none).withheld.size).toBe(0);
  const created = planOf([{ ...changed, action: 'create' }]);
  expect(healingPlan(created, 'update', none).withheld.size).toBe(0);
});

const freeze = { by: 'freeze', reason: 'year end', until: '2027-01-04T06:00:00Z' } as const;

test('--heal update sends an update of which only the scheduled destruction is held', () => {
  const field = { path: 'auto-destroy-at', before: null, after: '2027-01-01T00:00:00Z' };
  const update = { ...change('workspace.a', 'update'), fields: [field] };
  const partly = { ...update, held: [{ ...freeze, fields: ['auto-destroy-at'] }] };
  expect(healingPlan(planOf([update]), 'update', none).withheld.size).toBe(1);
  expect(healingPlan(planOf([partly]), 'update', none).withheld.size).toBe(0);
});

test('a deletion that is held neither waits nor is withheld', () => {
  const held = { ...change('workspace.c', 'delete'), calls: [], held: [freeze] };
  for (const mode of ['update', 'all'] as const) {
    const healing = healingPlan(planOf([held]), mode, none);
    expect(healing).toMatchObject({ waiting: [], withheld: new Map(), plan: { changes: [held] } });
  }
});

test('a window that begins during an apply of watch does not fail its cycle', () => {
  const done = { ...change('workspace.a', 'update'), result: 'done', callsDone: 1 } as const;
  const held = { ...change('workspace.b', 'update'), held: [freeze], result: 'held', callsDone: 0 } as const;
  const error = { message: 'needs workspace.b, which is held' };
  const skipped = { ...change('workspace.c', 'update'), result: 'skipped', callsDone: 0, error } as const;
  const of = (...changes: readonly AppliedChange[]) =>
    isHealed({ plan: planOf(changes), changes, diagnostics: [] });
  expect(of(done, held, skipped)).toBe(true);
  expect(of(done, skipped)).toBe(false);
  expect(of(done, held, { ...skipped, result: 'failed' })).toBe(false);
});
