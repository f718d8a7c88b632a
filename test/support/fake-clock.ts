import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../src/service/clock.ts';

export interface JumpingClock extends Clock {
  /** Every wait so far, in milliseconds. */
  readonly slept: readonly number[];
  /** Lets time pass without anybody waiting. */
  pass(milliseconds: number): void;
}

/** A clock that jumps: each sleeper wakes at once, at its time. Random values are always the same. */
export function jumpingClock(random = 0): JumpingClock {
  let now = 1_000_000;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    random: () => random,
    sleep: async (milliseconds) => {
      slept.push(milliseconds);
      now += milliseconds;
    },
    pass: (milliseconds) => {
      now += milliseconds;
    },
  };
}

export interface VirtualClock extends Clock {
  /** Wakes the sleepers one after the other, in the order of their times, until none is left. */
  run(): Promise<void>;
}

/** A clock for several sleepers at a time: it goes on only when everybody has come to rest. */
export function virtualClock(start = 0): VirtualClock {
  let now = start;
  const sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  return {
    now: () => now,
    random: () => 0,
    sleep: (milliseconds) =>
      new Promise((wake) => {
        sleepers.push({ at: now + milliseconds, wake });
      }),
    run: async () => {
      for (;;) {
        await setImmediate();
        const [next] = sleepers.sort((a, b) => a.at - b.at).splice(0, 1);
        if (next === undefined) return;
        now = Math.max(now, next.at);
        next.wake();
      }
    },
  };
}
