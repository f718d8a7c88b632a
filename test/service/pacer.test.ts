import { expect, test } from 'vitest';
import { createPacer } from '../../src/service/pacer.ts';
import { virtualClock } from '../support/fake-clock.ts';

/** When each of so many requests may go, in milliseconds from the start. */
function pacerAt(rate?: number) {
  const clock = virtualClock(50_000);
  const pacer = createPacer({ clock, ...(rate !== undefined && { rate }) });
  const times: number[] = [];
  const ask = (count: number) => {
    for (let index = 0; index < count; index++)
      void pacer.turn().then(() => times.push(clock.now() - 50_000));
  };
  return { clock, pacer, times, ask };
}

test('requests without a rate wait for the end of the first one and are then sent at once', async () => {
  const { clock, times, ask, pacer } = pacerAt();
  ask(4);
  await clock.run();
  expect(times).toEqual([0]);
  void clock.sleep(70);
  await clock.run();
  pacer.ended();
  await clock.run();
  expect(times).toEqual([0, 70, 70, 70]);
  expect(pacer.rate).toBeUndefined();
});

test('requests that wait for the end of the first one follow the limit that its response announces', async () => {
  const { clock, times, ask, pacer } = pacerAt();
  ask(3);
  await clock.run();
  pacer.announce(4);
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
  const { clock, times, ask } = pacerAt(10);
  ask(1);
  await clock.run();
  void clock.sleep(1000);
  await clock.run();
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

test('an announced limit becomes the rate', async () => {
  const { clock, times, ask, pacer } = pacerAt();
  pacer.announce(20);
  ask(3);
  await clock.run();
  expect(times).toEqual([0, 50, 100]);
  expect(pacer.rate).toBe(20);
});

test('a rate that the user set overrides an announced one', async () => {
  const { clock, times, ask, pacer } = pacerAt(2);
  pacer.announce(100);
  ask(2);
  await clock.run();
  expect(times).toEqual([0, 500]);
});

test('a pause holds back all requests, and the rate continues from its end', async () => {
  const { clock, times, ask, pacer } = pacerAt(10);
  pacer.pause(3000);
  ask(3);
  await clock.run();
  expect(times).toEqual([3000, 3100, 3200]);
});

test('a pause holds back waiting requests too', async () => {
  const { clock, times, ask, pacer } = pacerAt(10);
  ask(3);
  pacer.pause(1000);
  await clock.run();
  expect(times.every((time, index) => index === 0 || time >= 1000)).toBe(true);
  expect(times).toHaveLength(3);
});

test('a pause that ends at once lets no request overtake the waiting ones', async () => {
  const { clock, times, ask, pacer } = pacerAt(10);
  ask(3);
  pacer.pause(0);
  ask(3);
  await clock.run();
  expect(times).toEqual([0, 100, 200, 300, 400, 500]);
});

test('a shorter pause does not cut a longer one short', async () => {
  const { clock, times, ask, pacer } = pacerAt();
  pacer.pause(5000);
  pacer.pause(1000);
  ask(1);
  await clock.run();
  expect(times).toEqual([5000]);
});

test('an announced limit applies from the request before it on', async () => {
  const { clock, times, ask, pacer } = pacerAt();
  ask(1);
  pacer.announce(4);
  ask(2);
  await clock.run();
  expect(times).toEqual([0, 250, 500]);
});
