import { expect, test } from 'vitest';
import { driftRisksOf, type Risk, risksOf } from '../../src/check/risks.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import type { MoveEffect, Plan, PlannedChange } from '../../src/model/plan.ts';
import type { Value } from '../../src/model/value.ts';
import { rowsIn } from '../support/rows.ts';

/** Updates without fields, with what is different by address. */
function changesOf(given: Readonly<Record<string, Partial<PlannedChange>>>): readonly PlannedChange[] {
  return Object.entries(given).map(([address, rest]) => {
    const [, kind = '', name = ''] = /^([\w-]+)\.(.*)$/.exec(address) ?? [];
    const change = { address, kind, name, action: 'update', fields: [], calls: [], dependsOn: [], ...rest };
    return change as unknown as PlannedChange;
  });
}

interface Row extends Partial<Plan['effects']> {
  readonly title: string;
  readonly changes?: Readonly<Record<string, Partial<PlannedChange>>>;
  readonly diagnostics?: readonly Diagnostic[];
  readonly undeclaredAccess?: Plan['undeclaredAccess'];
  readonly risks: readonly Risk[];
  /** Those of a drift report, if the row is about them. */
  readonly drift?: readonly Risk[];
}

test.each(rowsIn<Row>`
- title: of access of which the time has passed only what was raised is a risk of drift, and access without a warning about its time is
  changes: {team-access.pay/ended: {action: delete, facts: {access: admin}}, team-access.pay/raised: {action: delete, fields: [{path: access, before: admin, after: write}]}, team-access.pay/sre: {action: delete, facts: {access: admin}}, team-access.pay/other: {action: delete, facts: {access: admin}}}
  diagnostics: [{severity: warning, code: access-ended, message: it ended, address: team-access.pay/ended}, {severity: warning, code: access-ended, message: it ended, address: team-access.pay/raised}, {severity: warning, code: policy, message: it ended, address: team-access.pay/other}]
  risks: [{kind: access-revoked, address: team-access.pay/ended, project: pay, team: ended, before: admin, after: null}, {kind: access-revoked, address: team-access.pay/other, project: pay, team: other, before: admin, after: null}, {kind: access-revoked, address: team-access.pay/raised, project: pay, team: raised, before: admin, after: null}, {kind: access-revoked, address: team-access.pay/sre, project: pay, team: sre, before: admin, after: null}]
  drift: [{kind: access-gained, address: team-access.pay/other, project: pay, team: other, before: null, after: admin}, {kind: access-gained, address: team-access.pay/raised, project: pay, team: raised, before: write, after: admin}, {kind: access-gained, address: team-access.pay/sre, project: pay, team: sre, before: null, after: admin}]
- title: a new workspace is a risk only if it applies runs without confirmation
  changes: {workspace.app: {action: create, fields: [{path: auto-apply, before: null, after: true}, {path: execution-mode, before: null, after: agent}, {path: vcs-repo.identifier, before: null, after: acme/app}]}}
  risks: [{kind: auto-apply, address: workspace.app, path: auto-apply, before: null, after: true}]
- title: risks begin with deletes, those with the most resources before the others
  changes: {workspace.auto: {fields: [{path: auto-apply, before: false, after: true}]}, workspace.empty: {action: delete, mode: safe, resources: 0}, workspace.full: {action: delete, mode: force, resources: 12}, workspace.unknown: {action: delete, mode: safe}}
  risks: [{kind: delete, address: workspace.full, mode: force, resources: 12}, {kind: delete, address: workspace.empty, mode: safe, resources: 0}, {kind: delete, address: workspace.unknown, mode: safe}, {kind: auto-apply, address: workspace.auto, path: auto-apply, before: false, after: true}]
- title: a delete shows its mode and its resources as far as they are known, and one that unlocks its workspace is two risks
  changes: {workspace.full: {action: delete, mode: force, resources: 2, calls: [{operation: lockWorkspace, method: POST, path: /workspaces/ws-1/actions/lock}]}, workspace.unknown: {action: delete}, workspace.locked: {action: delete, mode: safe, calls: [{operation: unlockWorkspace, method: POST, path: /workspaces/ws-1/actions/unlock}]}}
  risks: [{kind: delete, address: workspace.full, mode: force, resources: 2}, {kind: delete, address: workspace.locked, mode: safe}, {kind: delete, address: workspace.unknown}, {kind: unlock, address: workspace.locked, path: lock, before: true, after: false}]
- title: a grant that is created or raised above read and a revoked grant are risks, also of a project whose name has a slash
  changes:
    team-access.pay/new: {action: create, fields: [{path: access, before: null, after: admin}]}
    team-access.pay/raised: {fields: [{path: access, before: write, after: admin}], grants: [{path: project-access.settings, before: read, after: delete}]}
    team-access.pay/lowered: {fields: [{path: access, before: admin, after: write}], grants: [{path: project-access.settings, before: delete, after: read}]}
    team-access.core/pay/gone: {action: delete, facts: {access: maintain}}
  risks: [{kind: access-gained, address: team-access.pay/new, project: pay, team: new, before: null, after: admin}, {kind: access-gained, address: team-access.pay/raised, project: pay, team: raised, before: write, after: admin}, {kind: access-revoked, address: team-access.core/pay/gone, project: core/pay, team: gone, before: maintain, after: null}]
- title: a raised grant or permission is a risk of a plan, and a lowered one of a drift report
  changes: {team-access.pay/raised: {fields: [{path: access, before: write, after: maintain}], grants: [{path: workspace-access.delete, before: false, after: true}]}, team-access.pay/lowered: {fields: [{path: access, before: maintain, after: write}], grants: [{path: workspace-access.delete, before: true, after: false}]}, team-access.pay/custom: {fields: [{path: workspace-access.delete, before: false, after: true}], facts: {access: custom}}}
  risks: [{kind: access-gained, address: team-access.pay/custom, project: pay, team: custom, before: custom, after: custom}, {kind: access-gained, address: team-access.pay/raised, project: pay, team: raised, before: write, after: maintain}]
  drift: [{kind: access-gained, address: team-access.pay/lowered, project: pay, team: lowered, before: write, after: maintain}]
- title: a move that gives a team more than read on the workspace is a risk
  moves: [{workspace: app, from: core, to: pay, unknown: [], teams: [{team: sre, before: read, after: admin, permissions: []}, {team: dev, before: admin, after: admin, permissions: []}]}]
  risks: [{kind: access-gained, address: workspace.app, project: pay, team: sre, before: read, after: admin}]
- title: risks of gained access begin with admins
  moves:
    - {workspace: w-0, from: a, to: b, unknown: [], teams: [{team: sre, before: null, after: write, permissions: [{path: workspace-access.runs, before: null, after: apply}]}]}
    - {workspace: w-1, from: a, to: b, unknown: [], teams: [{team: sre, before: null, after: admin, permissions: [{path: workspace-access.runs, before: null, after: apply}]}]}
    - {workspace: w-2, from: a, to: b, unknown: [], teams: [{team: sre, before: null, after: maintain, permissions: [{path: workspace-access.runs, before: null, after: apply}]}]}
  risks: [{kind: access-gained, address: workspace.w-1, project: b, team: sre, before: null, after: admin}, {kind: access-gained, address: workspace.w-0, project: b, team: sre, before: null, after: write}, {kind: access-gained, address: workspace.w-2, project: b, team: sre, before: null, after: maintain}]
- title: state access that is shared with every workspace is gained by all, and its end is lost by all but those of its list
  stateAccess: [{workspace: app, gains: ['*'], loses: [c]}, {workspace: web, gains: [a], loses: ['*']}]
  risks: [{kind: state-access-gained, address: workspace.app, workspaces: ['*']}, {kind: state-access-lost, address: workspace.web, workspaces: ["*"], except: [a]}]
- title: the same time in another form is not a risk
  changes:
    workspace.time: {fields: [{path: auto-destroy-at, before: '2027-01-01T00:00:00Z', after: '2027-01-01T00:00:00.000Z'}]}
    workspace.duration: {fields: [{path: auto-destroy-activity-duration, before: 48h, after: 2d}]}
    workspace.days: {fields: [{path: data-retention, before: {delete-older-than-days: 30}, after: {delete-older-than-days: 30, other: 1}}]}
  risks: []
- title: state access of the most workspaces comes first
  stateAccess: [{workspace: few, gains: [a], loses: []}, {workspace: many, gains: [a, b, c], loses: []}, {workspace: all, gains: ['*'], loses: []}, {workspace: also-few, gains: [a], loses: []}, {workspace: project, gains: [a, base/*], loses: []}]
  risks: [{kind: state-access-gained, address: workspace.all, workspaces: ['*']}, {kind: state-access-gained, address: workspace.project, workspaces: [a, 'base/*']}, {kind: state-access-gained, address: workspace.many, workspaces: [a, b, c]}, {kind: state-access-gained, address: workspace.also-few, workspaces: [a]}, {kind: state-access-gained, address: workspace.few, workspaces: [a]}]
- title: risks of one kind are in the order of their addresses, and before state access
  changes:
    workspace.web: {fields: [{path: auto-destroy-at, before: null, after: '2027-01-01T00:00:00Z'}, {path: allow-destroy-plan, before: false, after: true}]}
    workspace.app: {fields: [{path: auto-destroy-at, before: null, after: '2027-01-01T00:00:00Z'}, {path: allow-destroy-plan, before: false, after: true}]}
  stateAccess: [{workspace: all, gains: ['*'], loses: []}]
  risks: [{kind: protection-lost, address: workspace.app, path: auto-destroy-at, before: null, after: '2027-01-01T00:00:00Z'}, {kind: protection-lost, address: workspace.app, path: allow-destroy-plan, before: false, after: true}, {kind: protection-lost, address: workspace.web, path: auto-destroy-at, before: null, after: '2027-01-01T00:00:00Z'}, {kind: protection-lost, address: workspace.web, path: allow-destroy-plan, before: false, after: true}, {kind: state-access-gained, address: workspace.all, workspaces: ['*']}]
- title: the risk of a schedule is that of the values in effect, also in a drift report, and one that a workspace makes its own is none
  changes: {workspace.less: {fields: [{path: auto-destroy-activity-duration, before: 90d, after: null, inEffect: {before: 90d, after: 1h}}]}, workspace.more: {fields: [{path: auto-destroy-activity-duration, before: 1h, after: null, inEffect: {before: 1h, after: 90d}}]}, workspace.own: {fields: [{path: auto-destroy-activity-duration, before: null, after: 30d, inEffect: {before: 30d, after: 30d}}]}}
  risks: [{kind: protection-lost, address: workspace.less, path: auto-destroy-activity-duration, before: 90d, after: 1h}]
  drift: [{kind: protection-lost, address: workspace.more, path: auto-destroy-activity-duration, before: 90d, after: 1h}]
- title: an admin that no file declares is a risk of a plan that keeps it, and of a drift report
  undeclaredAccess: [{projectId: prj-1, teamId: team-1, hint: '', address: team-access.core/pay/sre, access: admin}, {projectId: prj-1, teamId: team-1, hint: '', address: team-access.core/pay/dev, access: write}]
  risks: [{kind: admin-access, address: team-access.core/pay/sre, project: core/pay, team: sre, before: admin, after: admin, undeclared: true}]
  drift: [{kind: admin-access, address: team-access.core/pay/sre, project: core/pay, team: sre, before: null, after: admin, undeclared: true}]
- title: a drift report has the risks of settings that workspaces inherit otherwise than declared
  inherited: [{address: workspace.app, path: auto-destroy-activity-duration, before: 1h, after: 90d, from: project}]
  risks: []
  drift: [{kind: protection-lost, address: workspace.app, path: auto-destroy-activity-duration, before: 90d, after: 1h}]
`)('$title', ({ changes = {}, diagnostics = [], undeclaredAccess = [], risks, drift, ...given }) => {
  const { title: _, ...rest } = given;
  const effects = { stateAccess: [], moves: [], ...rest };
  const plan = { changes: changesOf(changes), effects, diagnostics, undeclaredAccess };
  expect(risksOf(plan)).toEqual(risks);
  if (drift) expect(driftRisksOf(plan)).toEqual(drift);
});

const steps = (path: string, before: Value, after: Value) => ({
  changes: changesOf({ 'workspace.app': { fields: [{ path, before, after }] } }),
  effects: { stateAccess: [], moves: [] },
});

test.each(rowsIn<[string, Value, Value, string]>`
- [auto-apply-run-trigger, false, true, auto-apply]
- [allow-destroy-plan, false, true, protection-lost]
- [auto-destroy-at, null, '2027-01-01T00:00:00Z', protection-lost]
- [auto-destroy-activity-duration, 2d, 47h, protection-lost]
- [data-retention, {dont-delete: true}, {delete-older-than-days: 30}, protection-lost]
- [operations, true, false, execution]
- [vcs-repo.identifier, acme/a, acme/b, repository]
- [lock, true, false, unlock]
`)('the change of the field %s is a risk: %j -> %j is %s', (path, before, after, kind) => {
  expect(risksOf(steps(path, before, after))).toEqual([
    { kind, address: 'workspace.app', path, before, after },
  ]);
});

test.each(rowsIn<[string, Value, Value]>`
- [auto-apply, true, false]
- [allow-destroy-plan, true, false]
- [lock, false, true]
- [description, 2d, 47h]
`)('the change of the field %s is not a risk: %j -> %j', (path, before, after) => {
  expect(risksOf(steps(path, before, after))).toEqual([]);
  expect(driftRisksOf(steps(path, before, after))).toHaveLength(path === 'description' ? 0 : 1);
});

test.each(rowsIn<[Value, Value, [string, Value, Value][], boolean]>`
- [null, read, [[workspace-access.variables, null, read]], false]
- [null, write, [[workspace-access.runs, null, apply]], true]
- [null, custom, [[workspace-access.runs, null, plan]], true]
- [null, custom, [[workspace-access.variables, null, read], [project-access.teams, null, read]], false]
- [unknown, write, [], true]
- [unknown, custom, [], false]
- [unknown, unknown, [], false]
- [unknown, read, [], false]
- [unknown, null, [], false]
`)('a team gains access from %j to %j with the permissions %j: %j', (before, after, given, isRisk) => {
  const about = { kind: 'access-gained', address: 'workspace.app', project: 'b', team: 'sre' };
  const expected = isRisk ? [{ ...about, before, after }] : [];
  const moveOf = (from: string, to: string, team: object) => {
    const teams = [{ team: 'sre', ...team }] as unknown as MoveEffect['teams'];
    const moves = [{ workspace: 'app', from, to, teams, unknown: [] }];
    return { changes: [], effects: { stateAccess: [], moves } };
  };
  const permissions = given.map(([path, had, has]) => ({ path, before: had, after: has }));
  expect(risksOf(moveOf('a', 'b', { before, after, permissions }))).toEqual(expected);
  // A drift report shows it for the step back.
  const lost = given.map(([path, had, has]) => ({ path, before: has, after: had }));
  const back = { before: after, after: before, permissions: lost };
  expect(driftRisksOf(moveOf('b', 'a', back))).toEqual(expected);
});
