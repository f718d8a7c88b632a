import { expect, test } from 'vitest';
import type { CycleOutcome, FoundState } from '../../src/run/cycle/create-cycle.ts';
import { createHealth } from '../../src/watch/health.ts';
import { createLog } from '../../src/watch/log.ts';
import { createMetrics } from '../../src/watch/metrics.ts';
import { waitBeforeNext, watch } from '../../src/watch/watch.ts';
import { largePlan } from '../report/fixtures/large-plan.ts';
import { jumpingClock } from '../support/fake-clock.ts';
import { parseMetrics } from '../support/parse-metrics.ts';

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

const error = { severity: 'error', code: 'bad-value', message: 'no', hint: 'yes' } as const;
const warning = { severity: 'warning', code: 'odd', message: 'is odd' } as const;
const location = { file: 'attune.yaml', line: 3, column: 1 };
const path = (file: string) => `shown/${file}`;
const refused: CycleOutcome = {
  refused: [{ diagnostics: [{ ...error, location }, { ...error, location }, warning], path }],
  organizations: [],
};

/** A cycle that made a plan, with what it applied and what waits. */
function planned(found: Partial<FoundState> = {}, isSuccess = true): CycleOutcome {
  const state = { entries: [], plans: [largePlan({ update: 1 })], applied: [], waiting: [], held: [] };
  const rest = { remaining: [], readAt: new Date(0) };
  const organization = { organization: 'acme', roots: [], errors: [] };
  return {
    refused: [],
    organizations: [{ ...organization, isSuccess, found: { ...state, ...rest, ...found } }],
  };
}

/** Runs these cycles, and stops when they are used up. */
async function watched(
  outcomes: readonly CycleOutcome[],
  { once = false, hangUpAfter = 0, stopDuring = 0 } = {},
) {
  const stop = new AbortController();
  const clock = jumpingClock(0.5);
  const lines: Record<string, unknown>[] = [];
  const date = () => new Date(clock.now());
  const log = createLog({ quiet: false, date, write: (line) => lines.push(JSON.parse(line)) });
  const metrics = await createMetrics();
  const sent: CycleOutcome[] = [];
  let hangUp = () => {};
  const last = await watch({
    cycle: async (number) => {
      if (number === hangUpAfter) hangUp();
      if (number === stopDuring) stop.abort();
      if (number >= outcomes.length && !once) clock.sleep = async () => stop.abort();
      return outcomes[number - 1] ?? planned();
    },
    ...{ schedule, clock, date, stop: stop.signal, once, log, metrics },
    health: createHealth({ heal: 'all', interval: schedule.interval, render: async () => '' }),
    messages: async (outcome) => void sent.push(outcome),
    onHangup: (start) => {
      hangUp = start;
    },
  });
  const of = (event: string, ...members: readonly string[]) =>
    lines.filter((line) => line.event === event).map((line) => members.map((member) => line[member]));
  return { last, lines, sent, of, samples: parseMetrics(await metrics.text()) };
}

test('the waits of watch double after failed cycles, which count for the organizations that are known', async () => {
  const { of, samples } = await watched([planned(), refused, refused, refused, planned()]);
  expect(of('cycle-finished', 'result', 'failures', 'next')).toEqual([
    ['success', 0, 600],
    ['failed', 1, 7.5],
    ['failed', 2, 15],
    ['failed', 3, 30],
    ['success', 0, 600],
  ]);
  expect(of('cycle-started', 'reason')).toEqual([['start'], ['interval'], ['retry'], ['retry'], ['retry']]);
  expect(samples.get('attune_cycles_total{organization="acme",result="failed"}')).toBe(3);
  expect(samples.get('attune_cycles_total{organization="acme",result="success"}')).toBe(2);
});

test('watch counts a configuration that was never valid without an organization', async () => {
  const { samples } = await watched([refused]);
  expect(samples.get('attune_cycles_total{organization="",result="failed"}')).toBe(1);
});

test('the log of watch has the errors and warnings of each cycle', async () => {
  const { lines } = await watched([refused, refused]);
  const expected = { level: 'error', code: 'bad-value', hint: 'yes', file: 'shown/attune.yaml', line: 3 };
  const inEach = [expected, expected, { level: 'warn', code: 'odd' }];
  expect(lines.filter(({ event }) => event === 'diagnostic')).toMatchObject(
    [1, 2].flatMap((cycle) => inEach.map((one) => ({ ...one, cycle }))),
  );
});

test('SIGHUP starts a cycle of watch at once', async () => {
  const { of } = await watched([planned(), planned()], { hangUpAfter: 1 });
  expect(of('cycle-started', 'reason')).toEqual([['start'], ['signal']]);
});

test('--once runs a second cycle for deletions that wait, and ends after it', async () => {
  const [deletion] = largePlan({ delete: 1 }).changes;
  const waiting = planned({ waiting: deletion ? [deletion] : [] });
  const { of } = await watched([waiting, waiting], { once: true });
  expect(of('cycle-finished', 'cycle', 'next')).toEqual([
    [1, 10],
    [2, undefined],
  ]);
  expect(of('change', 'action', 'result')).toEqual(Array(2).fill(['delete', 'waiting']));
  expect((await watched([planned()], { once: true })).of('cycle-finished', 'next')).toEqual([[undefined]]);
});

test('a cycle that a signal ends is not finished, and what it skipped is not an error', async () => {
  const applied = largePlan({ update: 2 }).changes.map((change, index) => ({
    ...change,
    callsDone: 0,
    ...(index === 0
      ? { result: 'failed' as const, error: { message: 'lost' } }
      : { result: 'skipped' as const, error: { message: 'not attempted' } }),
  }));
  const { of, last, sent } = await watched([planned({ applied })], { stopDuring: 1 });
  expect(of('change', 'level', 'result', 'error')).toEqual([
    ['error', 'failed', 'lost'],
    ['info', 'skipped', 'not attempted'],
  ]);
  expect([of('cycle-finished'), last, sent]).toEqual([[], undefined, []]);
});
