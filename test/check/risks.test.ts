import { describe, expect, test } from 'vitest';
import { driftRisksOf, type Risk, risksOf } from '../../src/check/risks.ts';
import type { FieldChange } from '../../src/model/change.ts';
import { warning } from '../../src/model/diagnostic.ts';
import type { MoveEffect, PlannedChange } from '../../src/model/plan.ts';
import type { Value } from '../../src/model/value.ts';
import { rowsIn } from '../support/rows.ts';

const noEffects = { stateAccess: [], moves: [] };

function change(name: string, changed: Partial<PlannedChange>): PlannedChange {
  return {
    address: `workspace.${name}`,
    kind: 'workspace',
    name,
    action: 'update',
    fields: [],
    calls: [],
    dependsOn: [],
    ...changed,
  };
}

function grant(name: string, changed: Partial<PlannedChange>): PlannedChange {
  return change(name, { address: `team-access.${name}`, kind: 'team-access', ...changed });
}

describe('a field is a risk', () => {
  test.each([
    ['auto-apply-run-trigger', false, true, 'auto-apply'],
    ['allow-destroy-plan', false, true, 'protection-lost'],
    ['auto-destroy-at', null, '2027-01-01T00:00:00Z', 'protection-lost'],
    ['auto-destroy-activity-duration', '2d', '47h', 'protection-lost'],
    ['data-retention', { 'dont-delete': true }, { 'delete-older-than-days': 30 }, 'protection-lost'],
    ['vcs-repo.identifier', 'acme/a', 'acme/b', 'repository'],
    ['lock', true, false, 'unlock'],
  ] as const)('the change of the field %s is a risk: %j -> %j is %s', (path, before, after, kind) => {
    const changes = [change('app', { fields: [{ path, before, after }] })];
    expect(risksOf({ changes, effects: noEffects })).toEqual([
      { kind, address: 'workspace.app', path, before, after },
    ]);
  });

  test.each([
    ['auto-apply', true, false],
    ['allow-destroy-plan', true, false],
    ['lock', false, true],
    ['description', '2d', '47h'],
  ] as const)('the change of the field %s is not a risk: %j -> %j', (path, before, after) => {
    const changes = [change('app', { fields: [{ path, before, after }] })];
    expect(risksOf({ changes, effects: noEffects })).toEqual([]);
    expect(driftRisksOf({ changes, effects: noEffects })).toHaveLength(path === 'description' ? 0 : 1);
  });
});

test('access of which the time has passed is not a risk of drift', () => {
  const changes = [grant('pay/sre', { action: 'delete', facts: { access: 'admin' } })];
  const diagnostics = [warning('access-ended', 'it ended', { at: { address: 'team-access.pay/sre' } })];
  expect(driftRisksOf({ changes, effects: noEffects })).toHaveLength(1);
  expect(driftRisksOf({ changes, effects: noEffects, diagnostics })).toEqual([]);
  const others = diagnostics.map((one) => ({ ...one, code: 'policy' }));
  expect(driftRisksOf({ changes, effects: noEffects, diagnostics: others })).toHaveLength(1);
});

test('a new workspace is a risk only if it applies runs without confirmation', () => {
  const fields = [
    { path: 'auto-apply', before: null, after: true },
    { path: 'execution-mode', before: null, after: 'agent' },
    { path: 'vcs-repo.identifier', before: null, after: 'acme/app' },
  ];
  const risks = risksOf({ changes: [change('app', { action: 'create', fields })], effects: noEffects });
  expect(risks.map(({ kind }) => kind)).toEqual(['auto-apply']);
});

test('risks begin with deletes, those with the most resources before the others', () => {
  const remove = { action: 'delete', mode: 'safe' } as const;
  const changes = [
    change('auto', { fields: [{ path: 'auto-apply', before: false, after: true }] }),
    change('empty', { ...remove, resources: 0 }),
    change('full', { ...remove, mode: 'force', resources: 12 }),
    change('unknown', remove),
  ];
  expect(risksOf({ changes, effects: noEffects }).map(({ kind, address }) => `${kind} ${address}`)).toEqual([
    'delete workspace.full',
    'delete workspace.empty',
    'delete workspace.unknown',
    'auto-apply workspace.auto',
  ]);
});

test('a delete that unlocks its workspace is two risks', () => {
  const unlock = {
    operation: 'unlockWorkspace',
    method: 'POST',
    path: '/workspaces/ws-1/actions/unlock',
  } as const;
  const risks = risksOf({
    changes: [change('app', { action: 'delete', mode: 'safe', calls: [unlock] })],
    effects: noEffects,
  });
  expect(risks.map(({ kind }) => kind)).toEqual(['delete', 'unlock']);
});

describe('access of teams', () => {
  const level = (before: string | null, after: string | null) => [{ path: 'access', before, after }];
  const settings = (before: string, after: string) => ({ path: 'project-access.settings', before, after });

  test('a grant that is created or raised above read and a revoked grant are risks', () => {
    const changes = [
      grant('pay/new', { action: 'create', fields: level(null, 'admin') }),
      grant('pay/raised', { fields: level('write', 'admin'), grants: [settings('read', 'delete')] }),
      grant('pay/lowered', { fields: level('admin', 'write'), grants: [settings('delete', 'read')] }),
      // The project is declared by its name, which has a slash.
      grant('core/pay/gone', { action: 'delete', facts: { access: 'maintain' } }),
    ];
    expect(risksOf({ changes, effects: noEffects })).toEqual([
      {
        kind: 'access-gained',
        address: 'team-access.pay/new',
        project: 'pay',
        team: 'new',
        before: null,
        after: 'admin',
      },
      {
        kind: 'access-gained',
        address: 'team-access.pay/raised',
        project: 'pay',
        team: 'raised',
        before: 'write',
        after: 'admin',
      },
      {
        kind: 'access-revoked',
        address: 'team-access.core/pay/gone',
        project: 'core/pay',
        team: 'gone',
        before: 'maintain',
        after: null,
      },
    ]);
  });

  test('a move that gives a team more than read on the workspace is a risk', () => {
    const teams = [
      { team: 'sre', before: 'read', after: 'admin', permissions: [] },
      { team: 'dev', before: 'admin', after: 'admin', permissions: [] },
    ] as const;
    const moves = [{ workspace: 'app', from: 'core', to: 'pay', teams, unknown: [] }];
    expect(risksOf({ changes: [], effects: { stateAccess: [], moves } })).toEqual([
      {
        kind: 'access-gained',
        address: 'workspace.app',
        project: 'pay',
        team: 'sre',
        before: 'read',
        after: 'admin',
      },
    ]);
  });

  test.each(rowsIn<[Value, Value, readonly [string, Value, Value][], boolean]>`
- [null, read, [[workspace-access.variables, null, read]], false]
- [null, write, [[workspace-access.runs, null, apply]], true]
- [null, custom, [[workspace-access.runs, null, plan]], true]
- [unknown, write, [], true]
- [unknown, custom, [], false]
- [unknown, unknown, [], false]
- [unknown, read, [], false]
- [unknown, null, [], false]
`)('a team gains access from %j to %j with the permissions %j: %j', (before, after, given, isRisk) => {
    const permissions = given.map(([path, had, has]) => ({ path, before: had, after: has }));
    const teams = [{ team: 'sre', before, after, permissions }] as MoveEffect['teams'];
    const effects = {
      stateAccess: [],
      moves: [{ workspace: 'app', from: 'a', to: 'b', teams, unknown: [] }],
    };
    const gained = {
      kind: 'access-gained',
      address: 'workspace.app',
      project: 'b',
      team: 'sre',
      before,
      after,
    };
    expect(risksOf({ changes: [], effects })).toEqual(isRisk ? [gained] : []);
    // A drift report shows it for the step back.
    const back = { team: 'sre', before: after, after: before };
    const lost = given.map(([path, had, has]) => ({ path, before: has, after: had }));
    const reversed = { ...back, permissions: lost } as MoveEffect['teams'][0];
    const moves = [{ workspace: 'app', from: 'b', to: 'a', teams: [reversed], unknown: [] }];
    expect(driftRisksOf({ changes: [], effects: { stateAccess: [], moves } })).toEqual(
      isRisk ? [gained] : [],
    );
  });

  test('a raised grant is a risk, and a lowered one is a risk of a drift report', () => {
    const level = (before: string, after: string) => [{ path: 'access', before, after }];
    const deletion = (before: boolean) => [{ path: 'workspace-access.delete', before, after: !before }];
    const raised = grant('pay/sre', { fields: level('write', 'maintain'), grants: deletion(false) });
    const lowered = grant('pay/sre', { fields: level('maintain', 'write'), grants: deletion(true) });
    const custom = grant('pay/sre', { fields: deletion(false), facts: { access: 'custom' } });
    const found = (of: typeof risksOf, one: PlannedChange) =>
      of({ changes: [one], effects: noEffects }).map((risk) => [
        risk.kind,
        'after' in risk ? risk.after : undefined,
      ]);
    expect([found(risksOf, raised), found(driftRisksOf, raised)]).toEqual([
      [['access-gained', 'maintain']],
      [],
    ]);
    expect([found(risksOf, lowered), found(driftRisksOf, lowered)]).toEqual([
      [],
      [['access-gained', 'maintain']],
    ]);
    expect(found(risksOf, custom)).toEqual([['access-gained', 'custom']]);
  });

  test('risks of gained access begin with admins', () => {
    const moves = ['write', 'admin', 'maintain'].map((after, index) => ({
      ...{ workspace: `w-${index}`, from: 'a', to: 'b', unknown: [] },
      teams: [
        {
          ...{ team: 'sre', before: null, after },
          permissions: [{ path: 'workspace-access.runs', before: null, after: 'apply' }],
        },
      ] as unknown as MoveEffect['teams'],
    }));
    const risks = risksOf({ changes: [], effects: { stateAccess: [], moves } });
    expect(risks.map(({ address }) => address)).toEqual(['workspace.w-1', 'workspace.w-0', 'workspace.w-2']);
  });
});

describe('state access', () => {
  const risks = (gains: string[], loses: string[]) =>
    risksOf({ changes: [], effects: { moves: [], stateAccess: [{ workspace: 'app', gains, loses }] } }).map(
      (risk) => [risk.kind, 'workspaces' in risk && risk.workspaces],
    );

  test('state access that is shared with every workspace is gained by all, and its end is lost by all', () => {
    expect(risks(['*'], ['c'])).toEqual([['state-access-gained', ['*']]]);
    expect(risks(['a'], ['*'])).toEqual([['state-access-lost', ['*']]]);
  });
});

test('a delete shows its mode and its resources as far as they are known', () => {
  const lock = { operation: 'lockWorkspace', method: 'POST', path: '/workspaces/ws-1/actions/lock' } as const;
  const changes = [
    change('full', { action: 'delete', mode: 'force', resources: 2, calls: [lock] }),
    change('unknown', { action: 'delete' }),
  ];
  expect(risksOf({ changes, effects: noEffects })).toEqual([
    { kind: 'delete', address: 'workspace.full', mode: 'force', resources: 2 },
    { kind: 'delete', address: 'workspace.unknown' },
  ]);
});

test.each([
  ['auto-destroy-at', '2027-01-01T00:00:00Z', '2027-01-01T00:00:00.000Z'],
  ['auto-destroy-activity-duration', '48h', '2d'],
  ['data-retention', { 'delete-older-than-days': 30 }, { 'delete-older-than-days': 30, other: 1 }],
])('the same time in another form is not a risk: %s', (path, before, after) => {
  const changes = [change('app', { fields: [{ path, before, after }] })];
  expect(risksOf({ changes, effects: noEffects })).toEqual([]);
});

test('state access of the most workspaces comes first, and risks of one kind are in the order of their addresses', () => {
  const stateAccess = [
    { workspace: 'few', gains: ['a'], loses: [] },
    { workspace: 'many', gains: ['a', 'b', 'c'], loses: [] },
    { workspace: 'all', gains: ['*'], loses: [] },
    { workspace: 'also-few', gains: ['a'], loses: [] },
    { workspace: 'project', gains: ['a', 'base/*'], loses: [] },
  ];
  const unprotected = ['web', 'app', 'zoo'].map((name) =>
    change(name, {
      fields: [
        { path: 'auto-destroy-at', before: null, after: '2027-01-01T00:00:00Z' },
        { path: 'allow-destroy-plan', before: false, after: true },
      ],
    }),
  );
  const risks = risksOf({ changes: unprotected, effects: { stateAccess, moves: [] } });
  expect(risks.map((risk) => `${risk.address} ${'path' in risk ? risk.path : risk.kind}`)).toEqual([
    'workspace.app auto-destroy-at',
    'workspace.app allow-destroy-plan',
    'workspace.web auto-destroy-at',
    'workspace.web allow-destroy-plan',
    'workspace.zoo auto-destroy-at',
    'workspace.zoo allow-destroy-plan',
    'workspace.all state-access-gained',
    'workspace.project state-access-gained',
    'workspace.many state-access-gained',
    'workspace.also-few state-access-gained',
    'workspace.few state-access-gained',
  ]);
});

test('the risk of a schedule is that of the values in effect', () => {
  const path = 'auto-destroy-activity-duration';
  const step = (before: string | null, after: string | null, inEffect: FieldChange['inEffect']) => [
    change('app', { fields: [{ path, before, after, ...(inEffect && { inEffect }) }] }),
  ];
  const shown = (risks: readonly Risk[]) =>
    risks.map((risk) => ('path' in risk ? [risk.kind, risk.before, risk.after] : []));
  const both = (changes: readonly PlannedChange[]) => [
    shown(risksOf({ changes, effects: noEffects })),
    shown(driftRisksOf({ changes, effects: noEffects })),
  ];
  expect(both(step('90d', null, { before: '90d', after: '1h' }))).toEqual([
    [['protection-lost', '90d', '1h']],
    [],
  ]);
  expect(both(step('1h', null, { before: '1h', after: '90d' }))).toEqual([
    [],
    [['protection-lost', '90d', '1h']],
  ]);
  expect(both(step(null, '30d', { before: '30d', after: '30d' }))).toEqual([[], []]);
});

test('an effect on a workspace whose rename is held is a risk at the address of its change', () => {
  const changes = [
    change('renamed', {
      fields: [
        { path: 'description', before: 'other', after: 'text' },
        { path: 'name', before: 'live-name', after: 'renamed' },
      ],
    }),
    change('described', { fields: [{ path: 'description', before: 'live-name', after: 'other' }] }),
    // A project has another name than its workspaces.
    {
      ...change('base', { fields: [{ path: 'name', before: 'other', after: 'Base' }] }),
      ...({ kind: 'project', address: 'project.base' } as const),
    },
  ];
  const stateAccess = ['live-name', 'renamed', 'other'].map((workspace) => ({
    workspace,
    ...{ gains: ['web'], loses: [] },
  }));
  const addresses = ['workspace.other', 'workspace.renamed', 'workspace.renamed'];
  const effects = { stateAccess, moves: [] };
  expect(risksOf({ changes, effects }).map(({ address }) => address)).toEqual(addresses);
  expect(driftRisksOf({ changes, effects }).map(({ address }) => address)).toEqual(addresses);
});

test('an admin that no file declares is a risk of a plan that keeps it, and of a drift report', () => {
  const ids = { projectId: 'prj-1', teamId: 'team-1', hint: '' };
  const undeclaredAccess = [
    { ...ids, address: 'team-access.core/pay/sre', access: 'admin' },
    { ...ids, address: 'team-access.core/pay/dev', access: 'write' },
  ] as const;
  const admin = {
    kind: 'admin-access',
    address: 'team-access.core/pay/sre',
    project: 'core/pay',
    team: 'sre',
    after: 'admin',
    undeclared: true,
  };
  const input = { changes: [], effects: noEffects, undeclaredAccess };
  expect(risksOf(input)).toEqual([{ ...admin, before: 'admin' }]);
  expect(driftRisksOf(input)).toEqual([{ ...admin, before: null }]);
});

test('a drift report has the risks of settings that workspaces inherit otherwise than declared', () => {
  const path = 'auto-destroy-activity-duration';
  const setting = { path, before: '1h', after: '90d', from: 'project' } as const;
  const inherited = [{ ...setting, address: 'workspace.app' }];
  const effects = { ...noEffects, inherited };
  expect(risksOf({ changes: [], effects })).toEqual([]);
  expect(driftRisksOf({ changes: [], effects })).toEqual([
    { kind: 'protection-lost', address: 'workspace.app', path, before: '90d', after: '1h' },
  ]);
});
