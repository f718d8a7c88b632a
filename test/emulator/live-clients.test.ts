import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Seed } from '../../src/emulator/index.ts';
import { workspaceBody } from '../support/ask.ts';
import { serve } from './service.ts';

const list = '/organizations/acme/workspaces';
const seed: Seed = {
  'agent-pools': { onprem: 'apool-1' },
  workspaces: { w: { id: 'ws-w', 'tag-bindings': { env: 'prod', key: null } }, other: { id: 'ws-other' } },
};
const serveLive = () => serve({ seed, dialect: 'terraform' });

describe('workspace writes of official clients on the terraform dialect', () => {
  it.each([
    [false, true, 'local'],
    [true, true, 'remote'],
    [false, undefined, 'local'],
  ])(
    'operations: %s with setting-overwrites %s derives the execution mode %s',
    async (operations, flag, mode) => {
      const { ask } = await serveLive();
      const flags =
        flag === undefined ? {} : { 'setting-overwrites': { 'execution-mode': flag, 'agent-pool': flag } };
      const { status, body } = await ask(
        'PATCH',
        '/workspaces/ws-w',
        workspaceBody({ operations, ...flags }),
      );
      expect([status, body.data.attributes]).toMatchObject([200, { 'execution-mode': mode, operations }]);
    },
  );

  it('the emulator stores and returns structured-run-output-enabled', async () => {
    const { ask } = await serveLive();
    const off = { 'structured-run-output-enabled': false };
    const created = await ask('POST', list, workspaceBody({ name: 'new', ...off }));
    expect(created.body.data.attributes).toMatchObject(off);
    await ask('PATCH', '/workspaces/ws-w', workspaceBody(off));
    await ask('PATCH', '/workspaces/ws-w', workspaceBody({ description: 'x' }));
    expect((await ask('GET', '/workspaces/ws-w')).body.data.attributes).toMatchObject(off);
    const refused = await ask(
      'PATCH',
      '/workspaces/ws-w',
      workspaceBody({ 'structured-run-output-enabled': 'no' }),
    );
    expect(refused.status).toBe(422);
  });

  it('auto-destroy-at is answered in UTC with Z', async () => {
    const { ask } = await serveLive();
    const sent = workspaceBody({ 'auto-destroy-at': '2030-01-31T18:00:00+02:00' });
    const { body } = await ask('PATCH', '/workspaces/ws-w', sent);
    expect(body.data.attributes['auto-destroy-at']).toBe('2030-01-31T16:00:00Z');
  });

  it.each(['soon', '2030', 'March 7', '2030-01-31', '2030-01-31T18:00:00', '2030-99-31T18:00:00Z', 5])(
    'auto-destroy-at %j is not a timestamp and gets a 422',
    async (moment) => {
      const { ask } = await serveLive();
      const { status, body } = await ask(
        'PATCH',
        '/workspaces/ws-w',
        workspaceBody({ 'auto-destroy-at': moment }),
      );
      expect([status, body.errors[0].source.pointer]).toEqual([422, '/data/attributes/auto-destroy-at']);
    },
  );

  it.each(['nonexisting', '99.0.0', '2.0.0', '1.x', '1.9.0.1', '~> ', '1.2.0,'])(
    'terraform-version %j is unknown and answered with 422',
    async (version) => {
      const { ask } = await serveLive();
      const { status, body } = await ask(
        'PATCH',
        '/workspaces/ws-w',
        workspaceBody({ 'terraform-version': version }),
      );
      expect([status, body.errors[0].detail]).toEqual([422, `Terraform version ${version} does not exist`]);
    },
  );

  it.each(['latest', '0.11.0', '1.9.0-beta1', '~> 1.9.0', '>= 1.2, < 1.10', '= 1.5.7'])(
    'terraform-version %j is accepted',
    async (version) => {
      const { ask } = await serveLive();
      const { status, body } = await ask(
        'PATCH',
        '/workspaces/ws-w',
        workspaceBody({ 'terraform-version': version }),
      );
      expect([status, body.data.attributes['terraform-version']]).toEqual([200, version]);
    },
  );
});

it.each([
  ['filter[tagged][0][key]=env&filter[tagged][0][value]=', ['w']],
  ['filter[tagged][0][key]=key&filter[tagged][0][value]=', ['w']],
  ['filter[tagged][0][key]=none&filter[tagged][0][value]=', []],
  ['filter[tagged][0][key]=env&filter[tagged][0][value]=dev', []],
])('the list with %s holds %j: an empty value means any', async (query, names) => {
  const { ask } = await serveLive();
  const { body } = await ask('GET', `${list}?${query}`);
  expect(body.data.map((item: { attributes: { name: string } }) => item.attributes.name)).toEqual(names);
});

describe('ping', () => {
  it('ping carries X-RateLimit-Limit and counts against the limit', async () => {
    const { ask } = await serve({ rate: 2 });
    const answers = [await ask('GET', '/ping'), await ask('GET', '/ping'), await ask('GET', '/ping')];
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 429]);
    expect(answers.map(({ headers }) => headers.get('x-ratelimit-limit'))).toEqual(['2', '2', '2']);
    expect((await ask('GET', '/organizations/acme')).status).toBe(429);
  });

  it('ping without a token counts for its address if tokens are configured', async () => {
    const { ask } = await serve({ rate: 1, seed: { tokens: { secret: { role: 'owner' } } } });
    expect((await ask('GET', '/ping')).status).toBe(204);
    const owner = { authorization: 'Bearer secret' };
    expect((await ask('GET', '/organizations/acme', undefined, owner)).status).toBe(200);
  });
});

describe('requests that a page in a browser may have caused', () => {
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
});

it('/_emulator/* needs a token when tokens are configured', async () => {
  const { ask } = await serve({ seed: { tokens: { secret: { role: 'owner' } } } });
  const owner = { authorization: 'Bearer secret' };
  for (const [method, path] of [
    ['GET', '/_emulator/requests'],
    ['DELETE', '/_emulator/faults'],
  ] as const) {
    expect((await ask(method, path)).status).toBe(401);
    expect((await ask(method, path, undefined, { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await ask(method, path, undefined, owner)).status).toBeLessThan(300);
  }
});
