import { describe, expect, test } from 'vitest';
import { createPacer } from '../../src/service/pacer.ts';
import type { AnnouncedLimit } from '../../src/service/retry.ts';
import { virtualClock } from '../support/fake-clock.ts';

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

test('requests without a rate wait for the end of the first one and are then sent at once', async () => {
  const { clock, times, ask, pacer, pass } = pacerAt();
  ask(4);
  await clock.run();
  expect(times).toEqual([0]);
  await pass(70);
  pacer.ended();
  await clock.run();
  expect(times).toEqual([0, 70, 70, 70]);
  expect(pacer.rate).toBeUndefined();
});

test('requests that wait for the end of the first one follow the limit that its response announces', async () => {
  const { clock, times, ask, pacer, answered } = pacerAt();
  ask(3);
  await clock.run();
  answered({ limit: 5 });
  pacer.ended();
  await clock.run();
  expect(times).toEqual([0, 250, 500]);
});

test('requests with a rate are sent evenly spaced', async () => {
  const { clock, times, ask } = pacerAt(4);
  ask(5);
  await clock.run();
  expect(times).toEqual([0, 250, 500, 750, 1000]);
});

test('a rate below one per second is kept', async () => {
  const { clock, times, ask } = pacerAt(0.5);
  ask(3);
  await clock.run();
  expect(times).toEqual([0, 2000, 4000]);
});

test('a rate does not save up time without requests', async () => {
  const { clock, times, ask, pass } = pacerAt(10);
  ask(1);
  await clock.run();
  await pass(1000);
  ask(3);
  await clock.run();
  expect(times).toEqual([0, 1000, 1100, 1200]);
});

test('late timers delay no later requests, up to a second', async () => {
  let now = 0;
  const sleeping: (() => void)[] = [];
  const clock = {
    now: () => now,
    sleep: () => new Promise<void>((wake) => sleeping.push(wake)),
    random: () => 0,
  };
  const pacer = createPacer({ clock, rate: 5 });
  const times: number[] = [];
  const wakeAt = async (time: number) => {
    now = time;
    for (const wake of sleeping.splice(0)) wake();
    await new Promise((resolve) => setImmediate(resolve));
  };
  for (let index = 0; index < 12; index++) void pacer.turn().then(() => times.push(now));
  await wakeAt(0);
  await wakeAt(700);
  expect(times).toEqual([0, 700, 700, 700]);
  await wakeAt(800);
  expect(times.slice(4)).toEqual([800]);
  await wakeAt(5000);
  // Requests of the last second only; the seconds before it are lost.
  expect(times.slice(5)).toEqual([5000, 5000, 5000, 5000, 5000, 5000]);
});

test('the rate is one request below an announced limit', async () => {
  const { clock, times, ask, pacer, answered } = pacerAt();
  answered({ limit: 21 });
  ask(3);
  await clock.run();
  expect(times).toEqual([0, 50, 100]);
  expect(pacer.rate).toBe(20);
});

test('a limit of one request per second is used fully', async () => {
  const { clock, times, ask, answered } = pacerAt();
  answered({ limit: 1 });
  ask(3);
  await clock.run();
  expect(times).toEqual([0, 1000, 2000]);
});

test('late timers send no more requests in a second than one below an announced limit', async () => {
  let now = 0;
  const sleeping: (() => void)[] = [];
  const clock = {
    now: () => now,
    sleep: () => new Promise<void>((wake) => sleeping.push(wake)),
    random: () => 0,
  };
  const pacer = createPacer({ clock });
  pacer.answered({ limit: 5 }, { sentAt: 0, isRefused: false });
  const times: number[] = [];
  const wakeAt = async (time: number) => {
    now = time;
    for (const wake of sleeping.splice(0)) wake();
    await new Promise((resolve) => setImmediate(resolve));
  };
  for (let index = 0; index < 30; index++) void pacer.turn().then(() => times.push(now));
  for (const time of [0, 900, 1000, 1100, 1800, 1950, 2600, 3700, 3800, 4700]) await wakeAt(time);
  const inSecond = times.map((start) => times.filter((time) => time >= start && time < start + 1000).length);
  expect(times.length).toBeGreaterThan(10);
  expect(Math.max(...inSecond)).toBe(4);
});

test('a rate that the user set overrides an announced one', async () => {
  const { clock, times, ask, answered } = pacerAt(2);
  answered({ limit: 100 });
  ask(2);
  await clock.run();
  expect(times).toEqual([0, 500]);
});

test('an announced limit applies from the request before it on', async () => {
  const { clock, times, ask, answered } = pacerAt();
  ask(1);
  answered({ limit: 5 });
  ask(2);
  await clock.run();
  expect(times).toEqual([0, 250, 500]);
});

describe('a limit that is used up', () => {
  test('holds back all requests until its next window, and the rate continues from there', async () => {
    const { clock, times, ask, answered } = pacerAt(10);
    answered({ remaining: 0, wait: 3000 });
    ask(3);
    await clock.run();
    expect(times).toEqual([3000, 3100, 3200]);
  });

  test('holds back requests that wait already', async () => {
    const { clock, times, ask, answered } = pacerAt(10);
    ask(3);
    answered({ remaining: 0, wait: 1000 });
    await clock.run();
    expect(times).toEqual([1000, 1100, 1200]);
  });

  test('lets no request overtake the waiting ones when its window ends at once', async () => {
    const { clock, times, ask, answered } = pacerAt(10);
    ask(3);
    answered({ remaining: 0, wait: 0 });
    ask(3);
    await clock.run();
    expect(times).toEqual([0, 100, 200, 300, 400, 500]);
  });

  test('with requests left, or without a time, holds back nothing', async () => {
    const { clock, times, ask, answered } = pacerAt(10);
    answered({ remaining: 1, wait: 3000 });
    answered({ remaining: 0 });
    answered({ wait: 3000 });
    ask(2);
    await clock.run();
    expect(times).toEqual([0, 100]);
  });

  test('takes half of the time between request and response as that of the response', async () => {
    const { clock, times, ask, answered } = pacerAt(10);
    answered({ remaining: 0, wait: 1000 }, { after: 200 });
    ask(1);
    await clock.run();
    expect(times).toEqual([900]);
  });

  test('ends at the time that all responses of its window allow', async () => {
    const { clock, times, ask, answered, pass } = pacerAt(10);
    // The window ends at 1000. The first request arrives late at the service, and the last response arrives late.
    await pass(200);
    answered({ remaining: 2, wait: 810 }, { after: 200 });
    await pass(100);
    answered({ remaining: 1, wait: 790 }, { after: 100 });
    await pass(300);
    answered({ remaining: 0, wait: 790 }, { after: 400 });
    ask(1);
    await clock.run();
    expect(times).toEqual([1000]);
  });

  test('ends later in a later window', async () => {
    const { clock, times, ask, answered, pass } = pacerAt(10);
    answered({ remaining: 0, wait: 100 });
    await pass(500);
    answered({ remaining: 0, wait: 700 }, { after: 20 });
    ask(1);
    await clock.run();
    expect(times).toEqual([1190]);
  });
});

describe('a 429', () => {
  test.each([
    { announced: { wait: 2000 }, until: 2000 },
    { announced: {}, until: 1000 },
    { announced: { wait: 3 }, until: 100 },
  ])('with $announced holds back all requests for $until ms', async ({ announced, until }) => {
    const { clock, times, ask, answered } = pacerAt(10);
    answered(announced, { isRefused: true });
    ask(2);
    await clock.run();
    expect(times).toEqual([until, until + 100]);
  });

  test('with a shorter wait does not cut a longer one short', async () => {
    const { clock, times, ask, answered } = pacerAt();
    answered({ wait: 5000 }, { isRefused: true });
    answered({ wait: 1000 }, { isRefused: true });
    ask(1);
    await clock.run();
    expect(times).toEqual([5000]);
  });
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
