import { setTimeout as sleep } from 'node:timers/promises';

/** Time and randomness, injected so that tests of pacing and retries are deterministic. */
export interface Clock {
  /** Milliseconds; only differences count. */
  now(): number;
  /** Rejects when the signal is aborted: no timer is left running. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** From 0 up to, not including, 1. */
  random(): number;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { ...(signal && { signal }) }),
  random: Math.random,
};
