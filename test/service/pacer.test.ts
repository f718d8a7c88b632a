import { expect, test } from 'vitest';
import { type AnnouncedLimit, createPacer } from '../../src/service/pacer.ts';
import { virtualClock } from '../support/fake-clock.ts';
import { rowsIn } from '../support/rows.ts';

/** When each of so many requests may go, in milliseconds from the start. */
function pacerAt(rate?: number) {
  const clock = virtualClock(50_000);
  const waits: number[] = [];
  const onWait = (wait: number) => waits.push(wait);
  const pacer = createPacer({ clock, onWait, ...(rate !== undefined && { rate }) });
  const times: number[] = [];
  const ask = (count: number) => {
    for (let index = 0; index < count; index++)
      void pacer.turn().then(() => times.push(clock.now() - 50_000));
  };
  /** A response that has just arrived, to a request that was sent so many milliseconds ago. */
  const answered = (announced: AnnouncedLimit, { after = 0, isRefused = false } = {}) =>
    pacer.answered(announced, { sentAt: clock.now() - after, isRefused });
  const pass = async (milliseconds: number) => {
    void clock.sleep(milliseconds);
    await clock.run();
  };
  return { clock, pacer, times, waits, ask, answered, pass };
}

/** `{ask}` sends so many requests, `{pass}` lets time pass, `{ended}` ends the first request, and the rest are announced limits. */
type Step = AnnouncedLimit & {
  readonly ask?: number;
  readonly pass?: number;
  readonly ended?: true;
  readonly after?: number;
  readonly isRefused?: true;
};

test.each(rowsIn<[title: string, rate: number | null, steps: readonly Step[], times: readonly number[]]>`
- [requests without a rate wait for the end of the first one and are then sent at once, null, [{ask: 4}, {pass: 70}, {ended: true}], [0, 70, 70, 70]]
- [requests that wait for the end of the first one follow the limit that its response announces, null, [{ask: 3}, {pass: 0}, {limit: 5}, {ended: true}], [0, 250, 500]]
- [requests with a rate are sent evenly spaced, 4, [{ask: 5}], [0, 250, 500, 750, 1000]]
- [a rate below one per second is kept, 0.5, [{ask: 3}], [0, 2000, 4000]]
- [a rate does not save up time without requests, 10, [{ask: 1}, {pass: 1000}, {ask: 3}], [0, 1000, 1100, 1200]]
- [the rate is one request below an announced limit, null, [{limit: 21}, {ask: 3}], [0, 50, 100]]
- [a limit of one request per second is used fully, null, [{limit: 1}, {ask: 3}], [0, 1000, 2000]]
- [a rate that the user set overrides an announced one, 2, [{limit: 100}, {ask: 2}], [0, 500]]
- [an announced limit applies from the request before it on, null, [{ask: 1}, {limit: 5}, {ask: 2}], [0, 250, 500]]
- ["a limit that is used up holds back all requests until its next window, and the rate continues from there", 10, [{remaining: 0, wait: 3000}, {ask: 3}], [3000, 3100, 3200]]
- [a limit that is used up holds back requests that wait already, 10, [{ask: 3}, {remaining: 0, wait: 1000}], [1000, 1100, 1200]]
- [a limit that is used up lets no request overtake the waiting ones when its window ends at once, 10, [{ask: 3}, {remaining: 0, wait: 0}, {ask: 3}], [0, 100, 200, 300, 400, 500]]
- ["a limit with requests left, or without a time, holds back nothing", 10, [{remaining: 1, wait: 3000}, {remaining: 0}, {wait: 3000}, {ask: 2}], [0, 100]]
- [a used limit takes half of the time between request and response as that of the response, 10, [{remaining: 0, wait: 1000, after: 200}, {ask: 1}], [900]]
# The window ends at 1000. The first request arrives late at the service, and the last response arrives late.
- [a window ends at the time that all of its responses allow, 10, [{pass: 200}, {remaining: 2, wait: 810, after: 200}, {pass: 100}, {remaining: 1, wait: 790, after: 100}, {pass: 300}, {remaining: 0, wait: 790, after: 400}, {ask: 1}], [1000]]
- [a used limit ends later in a later window, 10, [{remaining: 0, wait: 100}, {pass: 500}, {remaining: 0, wait: 700, after: 20}, {ask: 1}], [1190]]
- [a 429 holds back all requests for its wait, 10, [{wait: 2000, isRefused: true}, {ask: 2}], [2000, 2100]]
- [a 429 without a wait holds back all requests for a second, 10, [{isRefused: true}, {ask: 2}], [1000, 1100]]
- [a 429 with a very short wait holds back all requests for 100 ms, 10, [{wait: 3, isRefused: true}, {ask: 2}], [100, 200]]
- [a 429 with a shorter wait does not cut a longer one short, null, [{wait: 5000, isRefused: true}, {wait: 1000, isRefused: true}, {ask: 1}], [5000]]
`)('%s', async (_, rate, steps, expected) => {
  const { clock, pacer, times, ask, answered, pass } = pacerAt(rate ?? undefined);
  for (const { ask: count, pass: time, ended, after = 0, isRefused = false, ...announced } of steps) {
    if (count !== undefined) ask(count);
    else if (time !== undefined) await pass(time);
    else if (ended) pacer.ended();
    else answered(announced, { after, isRefused });
  }
  await clock.run();
  expect(times).toEqual(expected);
});

test('the rate of a pacer is that of the limit, and undefined without one', () => {
  const { pacer, answered } = pacerAt();
  expect(pacer.rate).toBeUndefined();
  answered({ limit: 21 });
  expect(pacer.rate).toBe(20);
});

/** A pacer whose timers end when the test wakes them. */
function lateTimers(rate?: number) {
  let now = 0;
  const sleeping: (() => void)[] = [];
  const sleep = () => new Promise<void>((wake) => sleeping.push(wake));
  const clock = { now: () => now, sleep, random: () => 0 };
  const pacer = createPacer({ clock, ...(rate !== undefined && { rate }) });
  const times: number[] = [];
  return {
    pacer,
    times,
    ask: (count: number) => {
      for (let index = 0; index < count; index++) void pacer.turn().then(() => times.push(now));
    },
    wakeAt: async (time: number) => {
      now = time;
      for (const wake of sleeping.splice(0)) wake();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('late timers delay no later requests, up to a second', async () => {
  const { times, ask, wakeAt } = lateTimers(5);
  ask(12);
  // Of the requests before 5000, those of the last second only; the seconds before it are lost.
  for (const time of [0, 700, 800, 5000]) await wakeAt(time);
  expect(times).toEqual([0, 700, 700, 700, 800, ...Array(6).fill(5000)]);
});

test('late timers send no more requests in a second than one below an announced limit', async () => {
  const { pacer, times, ask, wakeAt } = lateTimers();
  pacer.answered({ limit: 5 }, { sentAt: 0, isRefused: false });
  ask(30);
  for (const time of [0, 900, 1000, 1100, 1800, 1950, 2600, 3700, 3800, 4700]) await wakeAt(time);
  const inSecond = times.map((start) => times.filter((time) => time >= start && time < start + 1000).length);
  expect(times.length).toBeGreaterThan(10);
  expect(Math.max(...inSecond)).toBe(4);
});

test('a request that waits for the far next window of a used limit reports its wait', async () => {
  const { clock, ask, pacer, answered, waits, times } = pacerAt();
  ask(1);
  await clock.run();
  answered({ limit: 11, remaining: 0, wait: 300_000 });
  pacer.ended();
  await clock.run();
  // Nothing waits yet.
  expect(waits).toEqual([]);
  ask(2);
  await clock.run();
  expect([waits, times]).toEqual([[300_000], [0, 300_000, 300_100]]);
});

test('a request that waits for the usual window of a second reports no wait', async () => {
  const { clock, ask, pacer, answered, waits } = pacerAt();
  ask(1);
  await clock.run();
  answered({ limit: 10, remaining: 0, wait: 1000 });
  pacer.ended();
  ask(2);
  await clock.run();
  expect(waits).toEqual([]);
});
