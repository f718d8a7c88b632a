import { expect, test } from 'vitest';
import { createServiceClient } from '../../src/service/client.ts';
import { NetworkError } from '../../src/service/service-error.ts';
import { serviceWith } from '../support/attune.ts';

test('a closed client sends nothing more, because waits, retries and queued requests end', async () => {
  const service = await serviceWith({
    seed: { organization: 'acme', workspaces: { app: {} } },
    faults: [
      { kind: 'status', status: 429, reset: 600, path: '*/workspaces/app' },
      { kind: 'status', status: 503, path: '*/workspaces/busy' },
      { kind: 'hang', path: '*/workspaces/hanging' },
    ],
  });
  const client = createServiceClient({ address: new URL(service.url), parallelism: 2 });
  const reads = ['app', 'busy', 'hanging', 'queued'].map((name) =>
    client.get(`/organizations/acme/workspaces/${name}`),
  );
  // The first answers are in; one waits ten minutes, one is between two tries, one hangs, one has no place yet.
  await expect.poll(() => service.requests.length).toBeGreaterThan(0);
  const [outcomes] = await Promise.all([Promise.allSettled(reads), client.close()]);
  const reasons = outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason);
  expect(reasons.map((reason) => reason instanceof NetworkError && reason.message)).toEqual(
    ['app', 'busy', 'hanging', 'queued'].map(
      (name) => `GET /organizations/acme/workspaces/${name}: the client was closed`,
    ),
  );
  const sent = service.requests.length;
  await new Promise((resolve) => setImmediate(resolve));
  expect(service.requests.length).toBe(sent);
});

test('many concurrent requests of a client do not cause a warning of Node', async () => {
  const service = await serviceWith({
    seed: { organization: 'acme' },
    faults: [{ kind: 'status', status: 503, times: 100 }],
  });
  const warnings: Error[] = [];
  const listener = (warning: Error) => warnings.push(warning);
  process.on('warning', listener);
  let waiting = 0;
  const client = createServiceClient({
    address: new URL(service.url),
    parallelism: 20,
    observe: ({ type }) => {
      if (type === 'retry') waiting += 1;
    },
  });
  const reads = Array.from({ length: 20 }, (_, index) => client.get(`/workspaces/ws-${index}`));
  await expect.poll(() => waiting).toBeGreaterThanOrEqual(20);
  await Promise.all([Promise.allSettled(reads), client.close()]);
  process.off('warning', listener);
  expect(warnings).toEqual([]);
});
