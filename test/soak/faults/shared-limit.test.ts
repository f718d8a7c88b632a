import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { createRateLimit } from '../../../src/emulator/http/handle-request.ts';
import { createServiceClient } from '../../../src/service/client.ts';
import { folderWith, serviceWith } from '../../support/attune.ts';
import { type VirtualClock, virtualClock } from '../../support/fake-clock.ts';

const bin = join(import.meta.dirname, '..', '..', '..', 'dist', 'cli', 'bin.js');
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

test('five processes that apply at the same time with one token under a limit all finish and make nothing twice', async () => {
  const perJob = 20;
  const service = await serviceWith({
    rate,
    seed: { organization: 'acme', workspaces: { first: {} } },
  });
  const ended = await Promise.all(
    jobs.map(async (job) => {
      const names = Array.from({ length: perJob }, (_, index) => `  w-${job}-${index}: {}`);
      const cwd = await folderWith({
        'attune.yaml': `attune: 1\norganization: acme\nworkspaces:\n${names.join('\n')}\n`,
      });
      const child = spawn(process.execPath, [bin, 'apply', '--yes', '--quiet', '--address', service.url], {
        cwd,
        env: { ...process.env, ATTUNE_TOKEN: 'test-token' },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let stdout = '';
      child.stdout.on('data', (chunk) => {
        stdout += chunk;
      });
      const [code] = await once(child, 'close');
      return { code, summary: stdout.trimEnd().split('\n').at(-1) };
    }),
  );
  const summary = `Applied: ${perJob} created, 0 updated, 0 deleted. ${perJob} calls.`;
  expect(ended).toEqual(jobs.map(() => ({ code: 0, summary })));
  const created = service.requests
    .filter(({ status }) => status === 201)
    .map(({ body }) => JSON.stringify(body));
  expect(created).toHaveLength(jobs.length * perJob);
  expect(new Set(created).size).toBe(created.length);
});
