import { request } from 'node:http';
import { expect, it } from 'vitest';
import { serve } from './service.ts';

it('ping carries X-RateLimit-Limit and has its own limit', async () => {
  const { ask } = await serve({ rate: 2 });
  const answers = [await ask('GET', '/ping'), await ask('GET', '/ping'), await ask('GET', '/ping')];
  expect(answers.map(({ status }) => status)).toEqual([204, 204, 429]);
  expect(answers.map(({ headers }) => headers.get('x-ratelimit-limit'))).toEqual(['2', '2', '2']);
  expect((await ask('GET', '/organizations/acme')).status).toBe(200);
});

/** `fetch` sets Host itself, so this goes without it. */
async function statusOf(
  url: string,
  path: string,
  headers: Record<string, string>,
): Promise<number | undefined> {
  return new Promise((resolve, fail) => {
    request(`${url}${path}`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', fail)
      .end();
  });
}
const paths = ['/api/v2/organizations/acme', '/api/v2/ping', '/_emulator/requests'];

it.each(paths)('%s with a Host that is not loopback is 403', async (path) => {
  const { emulator } = await serve();
  for (const host of [
    'evil.example.com',
    'evil.example.com:80',
    '10.0.0.1',
    '127.0.0.1.example.com',
    'localhost.example.com',
  ])
    expect(await statusOf(emulator.url, path, { host })).toBe(403);
  expect(emulator.requests).toEqual([]);
});

it.each(paths)('%s with a foreign Origin is 403', async (path) => {
  const { emulator } = await serve();
  for (const origin of ['https://evil.example.com', 'null', 'http://localhost:1'])
    expect(await statusOf(emulator.url, path, { origin })).toBe(403);
});

it('the emulator answers every spelling of loopback as Host, and its own Origin', async () => {
  const { emulator } = await serve();
  const { port } = new URL(emulator.url);
  for (const host of [
    `127.0.0.1:${port}`,
    `localhost:${port}`,
    `LOCALHOST:${port}`,
    'iac.localhost',
    `[::1]:${port}`,
  ])
    expect(
      await statusOf(emulator.url, '/api/v2/organizations/acme', { host, origin: `http://${host}` }),
    ).toBe(200);
});
