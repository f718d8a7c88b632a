import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { createRateLimit } from '../../../src/emulator/http/handle-request.ts';
import { createServiceClient } from '../../../src/service/client.ts';
import { type VirtualClock, virtualClock } from '../../support/fake-clock.ts';

const jobs = [0, 1, 2, 3, 4];
const rate = 30;

// Until the answer is back, the client does not know that it was refused.
test.each([0, 50, 100, 200])(
  'five jobs that share a token all finish within 1.15 times the time that its limit allows, with answers after %i ms',
  async (latency) => {
    const clock = virtualClock();
    const served: number[] = [];
    const clients = jobs.map(() =>
      createServiceClient({
        address: new URL('https://iac.example.com'),
        token: 'test-token',
        clock,
        dispatcher: limitedService(clock, { latency, served }),
      }),
    );
    const each = Array.from({ length: 100 }, (_, index) => `/request-${index}`);
    const all = Promise.all(clients.flatMap((client) => each.map((path) => client.get(path))));
    await untilDone(all, clock);
    expect(served).toHaveLength(jobs.length * each.length);
    expect(Math.max(...served) / 1000).toBeLessThan((1.15 * served.length) / rate);
  },
);

/** A service in the time of the clock: it counts as the embedded one does, and answers after the latency. */
function limitedService(
  clock: VirtualClock,
  { latency, served }: { readonly latency: number; readonly served: number[] },
): Dispatcher {
  const request = async () => {
    await clock.sleep(latency / 2);
    const { exceeded, limit, remaining, reset } = limits(clock)('test-token');
    if (!exceeded) served.push(clock.now());
    await clock.sleep(latency / 2);
    return {
      statusCode: exceeded ? 429 : 200,
      headers: {
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(remaining),
        'x-ratelimit-reset': String(reset),
      },
      body: { arrayBuffer: async () => Buffer.from('{"data": []}') },
    };
  };
  return { request } as unknown as Dispatcher;
}

/** One limit for all who live by the same clock. */
const limitsByClock = new WeakMap<VirtualClock, ReturnType<typeof createRateLimit>>();
function limits(clock: VirtualClock): ReturnType<typeof createRateLimit> {
  const known = limitsByClock.get(clock) ?? createRateLimit(rate, clock.now);
  limitsByClock.set(clock, known);
  return known;
}

/** Lets time pass until everybody has what they asked for. */
async function untilDone(all: Promise<unknown>, clock: VirtualClock): Promise<void> {
  let isDone = false;
  const done = all.finally(() => {
    isDone = true;
  });
  while (!isDone) await clock.run();
  await done;
}
