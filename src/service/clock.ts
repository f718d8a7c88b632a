import { setTimeout as sleep } from 'node:timers/promises';

/** Time and chance, injected so that tests of pacing and retries need neither. */
export interface Clock {
  /** Milliseconds; only differences count. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  /** From 0 up to, not including, 1. */
  random(): number;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (milliseconds) => sleep(milliseconds),
  random: Math.random,
};
