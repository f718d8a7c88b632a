import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createRateLimit } from '../../src/emulator/http/handle-request.ts';
import { startEmulator } from '../../src/emulator/index.ts';
import { workspaceBody } from '../support/ask.ts';
import { folderWith } from '../support/attune.ts';
import { serve } from './service.ts';

const list = '/organizations/acme/workspaces';

it('two emulators do not affect each other, and stop can be called twice', async () => {
  const [one, two] = [await serve(), await serve()];
  await one.ask('POST', list, workspaceBody({ name: 'w' }));
  expect((await two.ask('GET', `${list}/w`)).status).toBe(404);
  await Promise.all([one.emulator.stop(), one.emulator.stop()]);
  await expect(one.ask('GET', list)).rejects.toThrow('fetch failed');
});

it('an error of the emulator has the content type of JSON:API', async () => {
  const { headers } = await (await serve()).ask('GET', '/nothing');
  expect(headers.get('content-type')).toContain('application/vnd.api+json');
});

it('a body that is too large is 413, and the emulator keeps running', async () => {
  const { ask, emulator } = await serve();
  const response = await fetch(`${emulator.url}/api/v2${list}`, {
    method: 'POST',
    body: 'x'.repeat(17 * 1024 * 1024),
  }).catch((error) => error);
  if (response instanceof Response) expect(response.status).toBe(413);
  expect((await ask('GET', list)).status).toBe(200);
});

it.each([
  ['POST', '/workspaces/ws-w/actions/lock'],
  ['PATCH', '/workspaces/ws-w'],
  ['DELETE', '/workspaces/ws-w'],
])(
  '%s without the JSON:API content type is 415 in the terraform dialect, and a GET is not',
  async (method, path) => {
    const plain = { 'content-type': 'application/json' };
    for (const dialect of ['iac', 'terraform'] as const) {
      const { ask } = await serve({ seed: { workspaces: { w: { id: 'ws-w' } } }, dialect });
      expect((await ask('GET', '/workspaces/ws-w', undefined, plain)).status).toBe(200);
      const { status } = await ask(method, path, workspaceBody({}), plain);
      expect(status === 415).toBe(dialect === 'terraform');
    }
  },
);

it('every answer of the terraform dialect carries the TFP headers', async () => {
  const { ask } = await serve({ dialect: 'terraform' });
  for (const path of ['/ping', '/organizations/acme', '/nothing']) {
    const { headers } = await ask('GET', path);
    expect(headers.get('tfp-api-version')).toMatch(/^\d+\.\d+$/);
    expect(headers.get('tfp-appname')).toBe('HCP Terraform');
  }
  const { ask: other } = await serve({ dialect: 'terraform', edition: 'self-hosted' });
  expect((await other('GET', '/ping')).headers.get('tfp-appname')).toBe('Terraform Enterprise');
});

it('the option latency delays the answer to each request', async () => {
  const data = join(await folderWith({}), 'data.json');
  const { ask, emulator } = await serve({ latency: 60_000, data });
  const unanswered = expect(ask('POST', list, workspaceBody({ name: 'w' }))).rejects.toThrow();
  // The write is stored at once. Only its answer is late.
  await expect.poll(() => readFile(data, 'utf8')).toContain('"name":"w"');
  expect(emulator.requests).toEqual([]);
  await emulator.stop();
  await unanswered;
});

it('a port that does not exist is an error that names it', async () => {
  await expect(startEmulator({ port: 70_000 })).rejects.toMatchObject({
    code: 'bad-option',
    message: expect.stringMatching(/^cannot listen on port 70000: /),
  });
});

it('the rate limit of the emulator counts windows of a second per caller', () => {
  let now = 0;
  const limit = createRateLimit(2, () => now);
  expect(limit('a')).toEqual({ limit: 2, remaining: 1, reset: 1, exceeded: false });
  now = 400;
  expect(limit('a')).toEqual({ limit: 2, remaining: 0, reset: 0.6, exceeded: false });
  expect(limit('a')).toEqual({ limit: 2, remaining: 0, reset: 0.6, exceeded: true });
  expect(limit('b').exceeded).toBe(false);
  now = 1000;
  expect(limit('a')).toEqual({ limit: 2, remaining: 1, reset: 1, exceeded: false });
});

it('the emulator sends a 429 with the headers that give the time of the next try', async () => {
  const { ask } = await serve({ rate: 3 });
  const replies = await Promise.all(Array.from({ length: 8 }, () => ask('GET', list)));
  const limited = replies.filter((reply) => reply.status === 429);
  expect(limited.length).toBeGreaterThanOrEqual(2);
  const [first] = limited;
  expect(first?.body.errors[0]).toMatchObject({ status: '429', title: 'too many requests' });
  expect(first?.headers.get('x-ratelimit-limit')).toBe('3');
  expect(first?.headers.get('x-ratelimit-remaining')).toBe('0');
  const reset = Number(first?.headers.get('x-ratelimit-reset'));
  expect(reset).toBeGreaterThan(0);
  expect(reset).toBeLessThanOrEqual(1);
});
