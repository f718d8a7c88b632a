import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRateLimit } from '../../src/emulator/http/handle-request.ts';
import { startEmulator } from '../../src/emulator/index.ts';
import { workspaceBody } from '../support/ask.ts';
import { folderWith } from '../support/attune.ts';
import { serve } from './service.ts';

const list = '/organizations/acme/workspaces';

describe('the server', () => {
  it('the emulator listens on loopback only, on a free port', async () => {
    const { emulator } = await serve();
    expect(emulator.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it('two emulators do not affect each other, and stop can be called twice', async () => {
    const [one, two] = [await serve(), await serve()];
    await one.ask('POST', list, workspaceBody({ name: 'w' }));
    expect((await two.ask('GET', `${list}/w`)).status).toBe(404);
    await Promise.all([one.emulator.stop(), one.emulator.stop()]);
    await expect(one.ask('GET', list)).rejects.toThrow('fetch failed');
  });

  it.each([
    '/nothing',
    '/workspaces',
    '/workspaces/',
    '/workspaces/ws-1/actions/explode',
    '/workspaces/%E0%A4%A',
  ])('the unknown route %s of the emulator is 404 with a JSON:API error', async (path) => {
    const { ask } = await serve();
    const { status, body, headers } = await ask('GET', path);
    expect([status, body]).toEqual([404, { errors: [{ status: '404', title: 'not found' }] }]);
    expect(headers.get('content-type')).toContain('application/vnd.api+json');
  });

  it('links in answers of the emulator use the host of the request', async () => {
    const { emulator } = await serve();
    const url = emulator.url.replace('127.0.0.1', 'localhost');
    const { request } = await import('node:http');
    const answer = await new Promise<string>((resolve, reject) => {
      const host = new URL(url).host;
      request(`${emulator.url}/api/v2${list}`, { headers: { host } }, async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        resolve(text);
      })
        .on('error', reject)
        .end();
    });
    expect(JSON.parse(answer).links.self).toMatch(`${url}/api/v2${list}?`);
  });

  it('an unknown method of a known path of the emulator is 404', async () => {
    const { ask } = await serve();
    expect((await ask('PUT', list)).status).toBe(404);
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

  it('the emulator finds names with every allowed character, and escaped ones', async () => {
    const { ask } = await serve();
    await ask('POST', list, workspaceBody({ name: 'A-z_09' }));
    expect((await ask('GET', `${list}/%41-z_09`)).status).toBe(200);
  });

  it('a write in the iac dialect is accepted without the JSON:API content type', async () => {
    const { ask } = await serve();
    const headers = { 'content-type': 'application/json' };
    expect((await ask('POST', list, workspaceBody({ name: 'w' }), headers)).status).toBe(201);
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
});

describe('options', () => {
  it('a port that does not exist is an error that names it', async () => {
    await expect(startEmulator({ port: 70_000 })).rejects.toMatchObject({
      code: 'bad-option',
      message: expect.stringMatching(/^cannot listen on port 70000: /),
    });
  });

  it('a port in use is an error that names it', async () => {
    const { emulator } = await serve();
    const port = Number(new URL(emulator.url).port);
    await expect(startEmulator({ port })).rejects.toThrow(`cannot listen on port ${port}: listen EADDRINUSE`);
  });
});

describe('the rate limit', () => {
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
});
