import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
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
async function answerTo(url: string, path: string, headers: Record<string, string>) {
  const [response] = (await once(request(url + path, { headers }).end(), 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response) };
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
    expect((await answerTo(emulator.url, path, { host })).status).toBe(403);
  expect(emulator.requests).toEqual([]);
});

it.each(paths)('%s with a foreign Origin is 403', async (path) => {
  const { emulator } = await serve();
  for (const origin of ['https://evil.example.com', 'null', 'http://localhost:1'])
    expect((await answerTo(emulator.url, path, { origin })).status).toBe(403);
});

it('the emulator answers every spelling of loopback as Host, and its own Origin, with links that use it', async () => {
  const { emulator } = await serve();
  const { port } = new URL(emulator.url);
  const names = [
    `127.0.0.1:${port}`,
    `localhost:${port}`,
    `LOCALHOST:${port}`,
    'iac.localhost',
    `[::1]:${port}`,
  ];
  for (const host of names) {
    const headers = { host, origin: `http://${host}` };
    const path = '/api/v2/organizations/acme/workspaces';
    const { status, body } = await answerTo(emulator.url, path, headers);
    expect([status, JSON.parse(body).links.self]).toEqual([
      200,
      expect.stringContaining(`http://${host.toLowerCase()}${path}?`),
    ]);
  }
});
