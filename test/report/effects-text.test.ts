import { describe, expect, test } from 'vitest';
import type { PlannedChange } from '../../src/model/plan.ts';
import { grantChangeView, moveViews } from '../../src/report/access-view.ts';
import { grantChangeText, moveSentence, stateAccessTexts } from '../../src/report/text/effects-text.ts';

const quote = (text: string) => `<${text}>`;

describe('who reads whose state', () => {
  test.each([
    [['a', 'b'], [], ['the state of app may now be read by a, b']],
    [[], ['c'], ['the state of app may no longer be read by c']],
    [['a'], ['c'], ['the state of app may now be read by a', 'the state of app may no longer be read by c']],
    [['*'], ['c'], ['the state of app may now be read by every workspace']],
    [['a'], ['*'], ['the state of app may no longer be read by every workspace, only by a']],
    [[], ['*'], ['the state of app may no longer be read by every workspace, by none']],
  ])('gains %o, loses %o', (gains, loses, lines) => {
    expect(stateAccessTexts({ workspace: 'app', gains, loses })).toEqual(lines);
  });

  test('long lists are counted, but not for the sake of one name', () => {
    const lines = (gains: string[]) =>
      stateAccessTexts({ workspace: 'app', gains, loses: [] }, { names: 2, quote });
    expect(lines(['a', 'b', 'c'])).toEqual(['the state of <app> may now be read by <a>, <b>, <c>']);
    expect(lines(['a', 'b', 'c', 'd'])).toEqual([
      'the state of <app> may now be read by <a>, <b> and 2 more',
    ]);
  });
});

test('moves that go the same way are told together, with what each team gains and loses', () => {
  const way = {
    from: 'core',
    to: 'pay',
    teams: [
      {
        team: 'dev',
        before: 'read',
        after: 'write',
        permissions: [{ path: 'workspace-access.runs', before: 'read', after: 'apply' }],
      },
      {
        team: 'sre',
        before: 'custom',
        after: null,
        permissions: [{ path: 'workspace-access.locking', before: true, after: null }],
      },
    ],
    unknown: ['pay'],
  } as const;
  const moves = [
    { workspace: 'a', ...way },
    { workspace: 'b', from: 'core', to: 'lab', teams: [], unknown: [] },
    { workspace: 'c', ...way },
  ];
  expect(moveViews(moves).map((move) => moveSentence(move))).toEqual([
    {
      head: 'moving from core to pay: a, c',
      rest: [
        'team dev: read -> write; grants workspace-access.runs read -> apply',
        'team sre: custom -> no access; revokes workspace-access.locking',
        'other teams of pay: unknown, because its team access was not read',
      ],
    },
    { head: 'moving from core to lab: b', rest: ['no team gains or loses anything'] },
  ]);
});

describe('what a team may do', () => {
  const grant = (change: Partial<PlannedChange>): PlannedChange => ({
    address: 'team-access.pay/dev',
    kind: 'team-access',
    name: 'pay/dev',
    action: 'update',
    fields: [],
    calls: [],
    dependsOn: [],
    ...change,
  });

  test('by level, by single permissions, and no longer', () => {
    const runs = 'workspace-access.runs';
    expect(
      [
        grant({
          fields: [{ path: 'access', before: 'read', after: 'write' }],
          grants: [{ path: runs, before: 'read', after: 'apply' }],
        }),
        grant({ fields: [{ path: runs, before: 'apply', after: 'plan' }] }),
        grant({
          action: 'create',
          fields: [
            { path: 'access', before: null, after: 'custom' },
            { path: runs, before: null, after: 'plan' },
            { path: 'workspace-access.create', before: null, after: false },
          ],
        }),
        grant({ action: 'delete', grants: [{ path: runs, before: 'apply', after: null }] }),
      ].map((change) => grantChangeText(grantChangeView(change))),
    ).toEqual([
      'team dev in pay: read -> write; grants workspace-access.runs read -> apply',
      'team dev in pay: custom; revokes workspace-access.runs apply -> plan',
      'team dev in pay: no access -> custom; grants workspace-access.runs plan',
      'team dev in pay: loses all access; revokes workspace-access.runs apply',
    ]);
  });
});
