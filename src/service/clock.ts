import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';

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
  now: () => process.uptime() * 1000,
  async sleep(milliseconds, signal) {
    await sleep(milliseconds, undefined, { signal });
    // A late timer runs before responses that have arrived earlier. They can announce that the limit is used up.
    await turn(undefined, { signal });
  },
  random: Math.random,
};
