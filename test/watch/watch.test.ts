import { expect, test } from 'vitest';
import { waitBeforeNext } from '../../src/watch/watch.ts';

const schedule = { interval: 600_000, jitter: 0.1 };

test('the interval of watch varies by the jitter in both directions', () => {
  expect([0, 0.5, 1].map((random) => waitBeforeNext(schedule, 0, random))).toEqual([
    540_000, 600_000, 660_000,
  ]);
});

test('the wait of watch after failures doubles from 10 seconds up to the interval', () => {
  const failures = Array.from({ length: 9 }, (_, index) => index + 1);
  expect(failures.map((count) => waitBeforeNext(schedule, count, 1) / 1000)).toEqual([
    10, 20, 40, 80, 160, 320, 600, 600, 600,
  ]);
  expect(waitBeforeNext(schedule, 5, 0) / 1000).toBe(80);
});

test('a retry of watch does not wait longer than a short interval, whatever the number of failures', () => {
  expect(waitBeforeNext({ interval: 1000, jitter: 0 }, 2000, 1)).toBe(1000);
});
