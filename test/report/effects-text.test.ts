import { describe, expect, test } from 'vitest';
import type { StateAccessChange } from '../../src/model/plan.ts';
import { effectTexts } from '../../src/report/text/effects-text.ts';

const textsOf = (change: Omit<StateAccessChange, 'workspace'>, most = 99) =>
  effectTexts({ stateAccess: [{ workspace: 'app', ...change }], moves: [] }, most).map(({ head }) => head);

describe('state access', () => {
  test.each([
    [['a', 'b'], [], ['state of app: access gained by a, b']],
    [[], ['c'], ['state of app: access lost by c']],
    [['a'], ['c'], ['state of app: access gained by a', 'state of app: access lost by c']],
    [['*'], ['c'], ['state of app: access gained by every workspace']],
    [['a'], ['*'], ['state of app: access lost by every workspace except a']],
    [[], ['*'], ['state of app: access lost by every workspace']],
    [['pay/*'], ['*'], ['state of app: access lost by every workspace except every workspace of pay']],
    [['pay/*'], [], ['state of app: access gained by every workspace of pay']],
    [
      ['a'],
      ['pay/*', 'b'],
      [
        'state of app: access gained by a',
        'state of app: access lost by every other workspace of pay, and by b',
      ],
    ],
  ])('the text of state access gains %o and loses %o', (gains, loses, lines) => {
    expect(textsOf({ gains, loses })).toEqual(lines);
  });

  test.each([
    [
      ['pay/*'],
      [],
      'state of app: access gained by every workspace of pay; other readers, whose list was not read, lose access',
    ],
    [[], ['pay/*'], 'state of app: access lost by every workspace of pay; the remaining readers are unknown'],
  ])(
    'the text of state access with readers that were not read gains %o and loses %o',
    (gains, loses, line) => {
      expect(textsOf({ gains, loses, unknown: true })).toEqual([line]);
    },
  );

  test('a list of names in an effect ends with a count, unless only one name would be omitted', () => {
    const lines = (gains: string[]) => textsOf({ gains, loses: [] }, 2);
    expect(lines(['a', 'b', 'c'])).toEqual(['state of app: access gained by a, b, c']);
    expect(lines(['a', 'b', 'c', 'd'])).toEqual(['state of app: access gained by a, b and 2 more']);
  });
});

test('moves between the same projects are printed as one sentence with the gains and losses of each team', () => {
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
  expect(effectTexts({ stateAccess: [], moves }, 99)).toEqual([
    {
      about: 'move',
      head: 'move from core to pay: a, c',
      rest: [
        'team dev: read -> write; grants workspace-access.runs read -> apply',
        'team sre: custom -> no access; revokes workspace-access.locking',
        'other teams of pay: unknown (team access was not read)',
      ],
    },
    { about: 'move', head: 'move from core to lab: b', rest: ['no team gains or loses permissions'] },
  ]);
});
