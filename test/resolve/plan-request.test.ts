import { expect, test } from 'vitest';
import { coversAll, reportsAll, selectMatching, undeclaredAccessIn } from '../../src/resolve/plan-request.ts';

test('a run reads undeclared access to the projects that a pattern for grants can match', () => {
  const read = (...only: readonly string[]) => {
    const isRead = undeclaredAccessIn({ ...selectMatching(only), purpose: 'apply' });
    return ['pay', 'shop'].filter(isRead);
  };
  expect(read()).toEqual(['pay', 'shop']);
  expect(read('workspace.app', 'team-access.pay/*')).toEqual(['pay']);
  expect(read('team-access.s*')).toEqual(['shop']);
  expect(read('workspace.*', '*')).toEqual([]);
});

test('an undo and a plan that is made again read no undeclared access', () => {
  for (const purpose of ['undo', 'replan'] as const) {
    expect(undeclaredAccessIn({ purpose })('pay')).toBe(false);
    expect(undeclaredAccessIn({ purpose, looksAtAccessOf: () => true })('pay')).toBe(false);
  }
});

test('guards check all projects in a plan of everything that can be applied', () => {
  const purposes = ['apply', 'review', 'drift', 'undo', 'replan', 'accept'] as const;
  expect(purposes.filter((purpose) => coversAll({ purpose }))).toEqual(['apply', 'review']);
  expect(purposes.filter((purpose) => coversAll({ purpose, chosen: () => true }))).toEqual([]);
  expect(purposes.filter((purpose) => reportsAll({ purpose }))).toEqual(['drift', 'accept']);
});
