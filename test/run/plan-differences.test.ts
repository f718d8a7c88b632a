import { expect, test } from 'vitest';
import type { Plan, PlannedChange } from '../../src/model/plan.ts';
import { differencesOfPlans } from '../../src/run/plan-differences.ts';
import { emptyPlan } from '../support/empty-plan.ts';

const declaration = 'sha256:1';
const app: PlannedChange = {
  address: 'workspace.app',
  kind: 'workspace',
  name: 'app',
  id: 'ws-app',
  action: 'update',
  fields: [{ path: 'description', before: 'a', after: 'b' }],
  calls: [{ operation: 'updateWorkspace', method: 'PATCH', path: '/workspaces/ws-app', body: { data: 1 } }],
  dependsOn: [],
  declared: declaration,
};

const planOf = (...changes: readonly PlannedChange[]): Plan => ({
  ...emptyPlan,
  changes,
});

/** The differences of one saved change, as `cause: how`; `declared` is the present digest of its declaration. */
function differences(
  saved: PlannedChange,
  again: PlannedChange | undefined,
  declared: string | undefined = saved.declared,
): string[] {
  return differencesOfPlans({
    saved: planOf(saved),
    again: planOf(...(again ? [again] : [])),
    declaredNow: (address) => (address === saved.address ? declared : undefined),
  }).map(({ cause, how, isAdded }) => `${cause}: ${how}${isAdded ? ' (added)' : ''}`);
}

test('equal changes of two plans have no difference, wherever the files declare them', () => {
  const moved = { ...app, location: { file: 'attune.yaml', line: 9, column: 3 }, facts: { exists: true } };
  expect(differences(app, moved)).toEqual([]);
  expect(differences(app, { ...app, grants: [] })).toEqual([]);
});

test('of a plan with --only-changed, whose changes are not all that is declared, the declarations are compared, too', () => {
  const saved = { ...planOf(app), base: { ref: 'main', onlyChanged: true as const } };
  const found = (declared: string) =>
    differencesOfPlans({ saved, again: planOf(app), declaredNow: () => declared }).map(({ how }) => how);
  expect(found(declaration)).toEqual([]);
  expect(found('sha256:2')).toEqual(['other values are declared']);
});

test('a change that is no longer needed is a change of the declarations, unless its declaration is the same', () => {
  expect(differences(app, undefined)).toEqual(['neither: update is planned, and no change is needed now']);
  expect(differences(app, undefined, 'sha256:2')).toEqual([
    'declarations: update is planned, and no change is needed now',
  ]);
  const { declared: _declared, ...pruned } = { ...app, action: 'delete' as const };
  expect(differences(pruned, undefined)).toEqual([
    'declarations: delete is planned, and no change is needed now',
  ]);
});

test('another action is due to the live state if the declaration is the same', () => {
  const { id: _id, ...created } = { ...app, action: 'create' as const };
  expect(differences(app, created)).toEqual(['live: planned update of ws-app, now create']);
  expect(differences(app, created, 'sha256:2')).toEqual([
    'declarations: planned update of ws-app, now create',
  ]);
  expect(differences(app, { ...app, action: 'delete' })).toEqual([
    'live: planned update of ws-app, now delete of ws-app',
  ]);
  expect(differences(app, { ...app, id: 'ws-other' })).toEqual([
    'neither: planned update of ws-app, now update of ws-other',
  ]);
  expect(differences(app, { ...app, id: 'ws-other' }, 'sha256:2')).toEqual([
    'declarations: planned update of ws-app, now update of ws-other',
  ]);
});

test('a schedule that a workspace would inherit differs because of the live state', () => {
  const field = { path: 'auto-destroy-activity-duration', before: '90d', after: null };
  const inheriting = (after: string) => ({
    ...app,
    fields: [{ ...field, inEffect: { before: '90d', after } }],
  });
  expect(differences(inheriting('30d'), inheriting('1h'))).toEqual([
    'live: auto-destroy-activity-duration: planned "90d" -> null (in effect "90d" -> "30d"), now "90d" -> null (in effect "90d" -> "1h")',
  ]);
});

test('a field that was not planned, and a list of consumers, differ because of the live state', () => {
  const consumers = { path: 'remote-state-consumers', before: [], after: ['web'] };
  const more = { path: 'auto-apply', before: true, after: false };
  expect(differences(app, { ...app, fields: [...app.fields, more] })).toEqual([
    'live: auto-apply: planned no change, now true -> false (added)',
  ]);
  expect(
    differences(
      { ...app, fields: [consumers] },
      { ...app, fields: [{ ...consumers, after: ['web', 'api'] }] },
    ),
  ).toEqual(['live: remote-state-consumers: planned [] -> ["web"], now [] -> ["web","api"]']);
  expect(differences(app, { ...app, fields: [...app.fields, more] }, 'sha256:2')).toEqual([
    'declarations: auto-apply: planned no change, now true -> false (added)',
  ]);
});

test('another value of a field under the same declaration means that the plan file was edited', () => {
  const other = { path: 'description', before: 'a', after: 'c' };
  expect(differences(app, { ...app, fields: [other] })).toEqual([
    'neither: description: planned "a" -> "b", now "a" -> "c"',
  ]);
  // Its calls differ, too.
  expect(differences(app, { ...app, fields: [other], calls: [] })).toEqual([
    'neither: description: planned "a" -> "b", now "a" -> "c"',
  ]);
  expect(differences(app, { ...app, fields: [] })).toEqual([
    'neither: description: planned "a" -> "b", now no change',
  ]);
  expect(differences(app, { ...app, fields: [other] }, 'sha256:2')).toEqual([
    'declarations: description: planned "a" -> "b", now "a" -> "c"',
  ]);
});

test('the first call that differs between two plans is shown with its body, and with its operation if the requests are equal', () => {
  const [call] = app.calls;
  if (call === undefined) throw new Error('the change has a call');
  const { body: _body, ...bare } = call;
  const lock = { operation: 'lockWorkspace', method: 'POST', path: '/lock' } as const;
  expect(differences(app, { ...app, calls: [bare] })).toEqual([
    'neither: planned PATCH /workspaces/ws-app {"data":1}, now PATCH /workspaces/ws-app',
  ]);
  expect(differences(app, { ...app, calls: [call, lock] }, 'sha256:2')).toEqual([
    'declarations: planned no call, now POST /lock',
  ]);
  expect(differences({ ...app, calls: [call, lock] }, { ...app, calls: [lock] })).toEqual([
    'neither: planned PATCH /workspaces/ws-app {"data":1}, now POST /lock',
  ]);
  expect(differences(app, { ...app, calls: [] })).toEqual([
    'neither: planned PATCH /workspaces/ws-app {"data":1}, now no call',
  ]);
  expect(differences(app, { ...app, calls: [{ ...call, operation: 'updateProject' }] })).toEqual([
    'neither: planned updateWorkspace: PATCH /workspaces/ws-app {"data":1}, now updateProject: PATCH /workspaces/ws-app {"data":1}',
  ]);
});

test.each<[string, Partial<PlannedChange>]>([
  ['kind', { kind: 'project' }],
  ['name', { name: 'web' }],
  ['mode', { mode: 'force' }],
  ['grants', { grants: [{ path: 'workspace-access.runs', before: 'read', after: 'plan' }] }],
  ['order', { dependsOn: ['workspace.web'] }],
])('changes of two plans that differ in their %s only are different', (_, other) => {
  expect(differences(app, { ...app, ...other })).toEqual(['neither: its effects or its order differ']);
});

test('a long value in a difference of two plans is cut off after 200 characters', () => {
  const long = { path: 'description', before: 'a', after: 'x'.repeat(199) };
  const whole = { path: 'description', before: 'a', after: 'x'.repeat(198) };
  expect(differences({ ...app, fields: [long] }, { ...app, fields: [whole] })).toEqual([
    `neither: description: planned "a" -> "${'x'.repeat(199)}..., now "a" -> "${'x'.repeat(198)}"`,
  ]);
});

test('a difference is reported at the change that the files declare now', () => {
  const declared = { ...app, location: { file: 'attune.yaml', line: 9, column: 3 }, fields: [] };
  const compared = (again: PlannedChange) =>
    differencesOfPlans({ saved: planOf(app), again: planOf(again), declaredNow: () => declaration }).map(
      ({ change }) => change,
    );
  expect(compared(declared)).toEqual([declared]);
  expect(compared({ ...app, fields: [] })).toEqual([app]);
});

test('another hold is a difference, another reason is none, and a held change that disappears needs no review', () => {
  const freeze = { by: 'freeze', reason: 'launch', until: '2026-12-01T00:00:00Z' } as const;
  const known = { by: 'exception', reason: 'INC-7', until: '2026-12-15', fields: ['description'] } as const;
  const held = { ...app, calls: [], held: [freeze] };
  expect(differences(held, { ...held, held: [{ ...freeze, reason: 'release' }] })).toEqual([]);
  expect(differences(held, undefined)).toEqual([]);
  expect(differences(held, app)).toEqual([
    'holds: planned as held by freeze window until 2026-12-01T00:00:00Z, now not held',
  ]);
  expect(differences({ ...app, held: [known, freeze] }, { ...app, held: [known] })).toEqual([
    'holds: planned as description held by exception until 2026-12-15; held by freeze window until 2026-12-01T00:00:00Z, now description held by exception until 2026-12-15',
  ]);
});
