import { expect, test } from 'vitest';
import { plannedChange } from '../../src/model/apply-result.ts';
import { reported, stage } from './stage.ts';

const before = new Date('2026-12-19T23:59:59Z');
const inside = new Date('2026-12-20T00:00:00Z');
const freeze = 'freeze: [{from: 2026-12-20, to: 2026-12-31, reason: year end, select: {name: "*-prod"}}]';

test('a freeze window that begins during an apply lets a running change finish, and holds those that have not begun', async () => {
  const yaml = `${freeze}\nworkspaces: {a-prod: {tags: [x]}, b-prod: {tags: [x]}, c-dev: {tags: [x]}}`;
  const { apply, writes, plan } = await stage(yaml, { seed: { organization: 'acme' } }, before);
  expect(plan.changes.map(({ held }) => held)).toEqual([undefined, undefined, undefined]);
  let now = before;
  const observe = () => {
    now = inside;
  };
  const result = await apply({ date: () => now, observe });
  expect(reported(result)).toEqual([
    'done workspace.a-prod 2',
    'held workspace.b-prod 0',
    '  held by freeze window until 2027-01-01T00:00:00Z: year end',
    'done workspace.c-dev 2',
  ]);
  expect(result.changes[1]?.held).toEqual([
    { by: 'freeze', reason: 'year end', until: '2027-01-01T00:00:00Z' },
  ]);
  expect(result.changes.map(plannedChange)).toEqual(plan.changes);
  expect((await writes()).filter((write) => write.includes('b-prod'))).toEqual([]);
});

test('a change that needs one that is frozen during the apply is done in part', async () => {
  const yaml = `freeze: [{cron: "*/2 * 20 12 *", for: 1m, reason: year end, select: &prod {name: "*-prod"}}, {cron: "1-59/2 * 20 12 *", for: 1m, reason: release, select: *prod}]\nworkspaces: {a-prod: {}, c-dev: {remote-state-consumers: [b-prod]}, b-prod: {}}`;
  const { apply } = await stage(yaml, { seed: { organization: 'acme' } }, before);
  let now = before;
  const observe = () => {
    now = inside;
  };
  expect(reported(await apply({ date: () => now, observe }))).toEqual([
    'done workspace.a-prod 1',
    'held workspace.b-prod 0',
    '  held by freeze window until further notice: year end',
    'partial workspace.c-dev 1',
    '  the rest needs workspace.b-prod, which is held (1 of 2 calls completed)',
  ]);
});
