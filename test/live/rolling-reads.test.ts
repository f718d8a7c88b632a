import { expect, test } from 'vitest';
import { createRollingReads, type DetailReads } from '../../src/live/detail-reads.ts';
import { jumpingClock } from '../support/fake-clock.ts';

const minute = 60_000;
const hour = 60 * minute;

/** Rolling reads over a service that counts what is requested. */
function rollingWorld() {
  const clock = jumpingClock();
  const rolling = createRollingReads({ maxAge: hour, now: clock.now });
  const requested: string[] = [];
  const service: DetailReads = {
    relation: async (path, id) => {
      requested.push(`${path} ${id}`);
      return path === 'data-retention' ? { value: null } : { value: ['ws-b'], names: [['ws-b', 'b']] };
    },
    grants: async (id) => {
      requested.push(`grants ${id}`);
      return [];
    },
  };
  const details = rolling.over(service);
  return {
    rolling,
    details,
    service,
    pass: clock.pass,
    taken: () => requested.splice(0).sort(),
    /** One complete reading of these workspaces. */
    async reading(ids: readonly string[]) {
      rolling.begin();
      await Promise.all(ids.map((id) => details.relation('remote-state-consumers', id)));
      rolling.end();
      return requested.splice(0).length;
    },
  };
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `ws-${index}`);

test('rolling reads request 250 lists in turns, so that no cycle of 5 minutes requests more than 21 of them', async () => {
  const { reading, pass } = rollingWorld();
  const counts: number[] = [];
  for (let cycle = 0; cycle < 60; cycle += 1) {
    counts.push(await reading(numbered(250)));
    pass(5 * minute);
  }
  expect(counts[0]).toBe(250);
  expect(Math.max(...counts.slice(1))).toBeLessThanOrEqual(21);
  expect(Math.min(...counts.slice(1))).toBeGreaterThanOrEqual(20);
});

test('rolling reads request everything again after a pause that is longer than the maximum age', async () => {
  const { reading, pass } = rollingWorld();
  await reading(numbered(10));
  pass(hour);
  expect(await reading(numbered(10))).toBe(10);
});

test('rolling reads request a rechecked value again, and report whether the reading used an earlier one', async () => {
  const { rolling, details, taken } = rollingWorld();
  rolling.begin();
  await details.grants('prj-1');
  expect(rolling.recheck(['prj-1'])).toBe(false);
  rolling.begin();
  await details.grants('prj-1');
  expect(taken()).toEqual(['grants prj-1']);
  expect(rolling.recheck(['prj-1'])).toBe(true);
  await details.grants('prj-1');
  expect(rolling.recheck(['prj-1'])).toBe(false);
  expect(rolling.recheckAll()).toBe(false);
  expect(taken()).toEqual(['grants prj-1']);
  rolling.begin();
  await details.grants('prj-1');
  expect(rolling.recheckAll()).toBe(true);
  await details.grants('prj-1');
  expect(taken()).toEqual(['grants prj-1']);
});

test('rolling reads drop a written workspace, and consumer lists that contain a deleted one', async () => {
  const { rolling, details, taken } = rollingWorld();
  rolling.begin();
  await Promise.all([
    details.relation('remote-state-consumers', 'ws-a'),
    details.relation('data-retention', 'ws-a'),
    details.relation('data-retention', 'ws-c'),
  ]);
  taken();
  rolling.written(['ws-a']);
  rolling.begin();
  await Promise.all([
    details.relation('remote-state-consumers', 'ws-a'),
    details.relation('data-retention', 'ws-a'),
    details.relation('data-retention', 'ws-c'),
  ]);
  expect(taken()).toEqual(['data-retention ws-a', 'remote-state-consumers ws-a']);
  rolling.gone(['ws-b']);
  await Promise.all([
    details.relation('remote-state-consumers', 'ws-a'),
    details.relation('data-retention', 'ws-a'),
  ]);
  expect(taken()).toEqual(['remote-state-consumers ws-a']);
});

test('rolling reads drop values that a complete reading did not need', async () => {
  const { reading, pass } = rollingWorld();
  await reading(['ws-a', 'ws-b']);
  pass(10 * minute);
  await reading(['ws-b']);
  pass(10 * minute);
  expect(await reading(['ws-a'])).toBe(1);
});

test('rolling reads keep nothing of a service that does not offer a feature', async () => {
  const { rolling, service, taken } = rollingWorld();
  const without = rolling.over({ ...service, grants: async () => undefined });
  rolling.begin();
  expect(await without.grants('prj-1')).toBeUndefined();
  expect(taken()).toEqual([]);
});
