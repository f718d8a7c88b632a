import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Seed } from '../../src/emulator/index.ts';
import { serverWith } from '../support/servers.ts';
import { type Service, serve } from './service.ts';

const ofProject = '/projects/prj-platform/notification-configurations';
const ofWorkspace = '/workspaces/ws-network/notification-configurations';
const seed: Seed = {
  projects: { Platform: 'prj-platform', Payments: 'prj-payments' },
  teams: { sre: 'team-sre' },
  workspaces: {
    network: { id: 'ws-network', project: 'Platform' },
    billing: { id: 'ws-billing', project: 'Payments' },
  },
};
const serveLive = (rest: Seed = {}, edition: 'hosted' | 'self-hosted' = 'hosted') =>
  serve({ seed: { ...seed, ...rest }, dialect: 'terraform', edition });

const hook = { name: 'chat', 'destination-type': 'generic', enabled: false, url: 'http://example.com' };
const body = (attributes: Record<string, unknown>, relationships: Record<string, unknown> = {}) => ({
  data: { type: 'notification-configurations', attributes, relationships },
});

interface Received {
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

/** A destination on this machine, and what it receives. */
async function destination(status = 200) {
  const received: Received[] = [];
  let arrived: () => void = () => {};
  const address = await serverWith((message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk) => chunks.push(chunk));
    message.on('end', () => {
      received.push({ text: Buffer.concat(chunks).toString(), headers: message.headers });
      response.writeHead(status).end('seen');
      arrived();
    });
  });
  const next = () => new Promise<void>((resolve) => (arrived = resolve));
  return { url: `${address}/hook`, received, next };
}

async function created({ ask }: Service, attributes: Record<string, unknown>, path = ofProject) {
  const { status, body: answer } = await ask('POST', path, body({ ...hook, ...attributes }));
  expect(status).toBe(201);
  return answer.data;
}

describe('notification configurations', () => {
  it.each([ofProject, ofWorkspace])('of %s are created, listed, shown, changed and deleted', async (path) => {
    const service = await serveLive();
    const first = await created(service, { triggers: ['run:created'], token: 's3cret' }, path);
    const second = await created(service, {}, path);
    expect(first).toMatchObject({
      type: 'notification-configurations',
      attributes: { ...hook, triggers: ['run:created'], token: null, 'delivery-responses': [] },
    });
    const { ask } = service;
    const { body: listed } = await ask('GET', path);
    expect(listed.data).toEqual([first, second]);
    const own = `/notification-configurations/${first.id}`;
    const changed = await ask('PATCH', own, body({ name: 'new', enabled: true }));
    expect([changed.status, changed.body.data.attributes]).toMatchObject([
      200,
      { name: 'new', enabled: true, triggers: ['run:created'] },
    ]);
    expect((await ask('PATCH', own, body({}))).status).toBe(200);
    expect((await ask('GET', own)).body.data.attributes.name).toBe('new');
    expect((await ask('POST', `${own}/actions/verify`)).status).toBe(200);
    expect((await ask('DELETE', own)).status).toBe(204);
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect((await ask(method, own, method === 'PATCH' ? body({}) : undefined)).status).toBe(404);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ 'destination-type': 'pager' }, 'destination-type'],
    [{ 'destination-type': undefined }, 'destination-type'],
    [{ enabled: undefined }, 'enabled'],
    [{ url: undefined }, 'url'],
    [{ url: 'ftp://example.com' }, 'url'],
    [{ 'destination-type': 'slack', url: undefined }, 'url'],
    [{ 'destination-type': 'microsoft-teams', url: undefined }, 'url'],
    [{ 'destination-type': 'email' }, 'url'],
    [{ 'destination-type': 'slack', token: 'x' }, 'token'],
    [{ triggers: ['workspace:renamed'] }, 'triggers'],
  ])('with %j are refused at %s', async (wrong, name) => {
    const { ask } = await serveLive();
    const { status, body: answer } = await ask('POST', ofProject, body({ ...hook, ...wrong }));
    const pointers = answer.errors?.map((error: { source: { pointer: string } }) => error.source.pointer);
    expect([status, pointers]).toEqual([422, [`/data/attributes/${name}`]]);
  });

  it('are at most 20 for each project', async () => {
    const service = await serveLive();
    for (let count = 0; count < 20; count += 1) await created(service, {});
    expect((await service.ask('POST', ofProject, body(hook))).status).toBe(422);
    await created(service, {}, ofWorkspace);
  });

  it('by mail have users, and addresses on the self-hosted edition only', async () => {
    const mail = body(
      { name: 'mail', 'destination-type': 'email', enabled: true, 'email-addresses': ['sre@example.com'] },
      { users: { data: [{ type: 'users', id: 'user-ada' }] } },
    );
    for (const [edition, addresses] of [
      ['self-hosted', ['sre@example.com']],
      ['hosted', []],
    ] as const) {
      const { ask } = await serveLive({}, edition);
      const { status, body: answer } = await ask('POST', ofProject, mail);
      expect([status, answer.data]).toMatchObject([
        201,
        {
          attributes: { 'email-addresses': addresses, 'delivery-responses': [] },
          relationships: { users: { data: [{ type: 'users', id: 'user-ada' }] } },
        },
      ]);
    }
  });

  it('are 404 for a token that may not change the project or the workspace', async () => {
    const { ask } = await serveLive({
      'team-access': { Platform: { sre: 'read' } },
      tokens: { reader: { role: 'reader', teams: ['sre'] }, owner: { role: 'owner' } },
    });
    for (const path of [ofProject, ofWorkspace]) {
      expect((await ask('GET', path, undefined, { authorization: 'Bearer owner' })).status).toBe(200);
      expect((await ask('GET', path, undefined, { authorization: 'Bearer reader' })).status).toBe(404);
    }
  });

  it('of a workspace are gone with it, and there again after a recovery', async () => {
    const service = await serveLive({ settings: { 'recoverable-items-enabled': true } });
    const { ask } = service;
    const { id } = await created(service, {}, ofWorkspace);
    await ask('DELETE', '/workspaces/ws-network');
    expect((await ask('GET', `/notification-configurations/${id}`)).status).toBe(404);
    const [item] = (await ask('GET', '/organizations/acme/recoverable-items')).body.data;
    await ask('PUT', `/recoverable-items/${item.id}/actions/recover`);
    expect((await ask('GET', `/notification-configurations/${id}`)).status).toBe(200);
  });
});

describe('notifications', () => {
  it('an enabled configuration is verified with a signed request, whose response it shows', async () => {
    const service = await serveLive();
    const { url, received } = await destination();
    const { attributes } = await created(service, { enabled: true, url, token: 's3cret' });
    expect(attributes['delivery-responses']).toMatchObject([
      { url, code: 200, successful: true, body: 'seen' },
    ]);
    expect(received).toHaveLength(1);
    const [{ text, headers }] = received as [Received];
    expect(JSON.parse(text).notifications).toMatchObject([{ trigger: 'verification' }]);
    const signature = createHmac('sha512', 's3cret').update(text).digest('hex');
    expect(headers['x-tfe-notification-signature']).toBe(signature);
  });

  it('a destination that refuses the verification prevents the write', async () => {
    const service = await serveLive();
    const { url } = await destination(401);
    const { status, body: answer } = await service.ask(
      'POST',
      ofProject,
      body({ ...hook, enabled: true, url }),
    );
    expect([status, answer.errors[0]]).toMatchObject([
      400,
      { title: 'Verification Delivery Error', detail: expect.stringContaining('401') },
    ]);
    expect((await service.ask('GET', ofProject)).body.data).toEqual([]);
  });

  it('a deleted workspace is reported to its project, without a signature if there is no token', async () => {
    const service = await serveLive();
    const { url, received, next } = await destination();
    await created(service, { enabled: true, url, triggers: ['workspace:deleted'] });
    await created(service, { enabled: true, url, triggers: ['run:created'] });
    await service.ask('DELETE', '/workspaces/ws-billing');
    const arrived = next();
    await service.ask('DELETE', '/workspaces/ws-network');
    await arrived;
    expect(received.map(({ text }) => JSON.parse(text).trigger)).toEqual([
      undefined,
      undefined,
      'workspace:deleted',
    ]);
    const { text, headers } = received[2] as Received;
    expect(JSON.parse(text).details).toEqual({
      workspace_id: 'ws-network',
      workspace_name: 'network',
      organization_name: 'acme',
    });
    expect(headers).not.toHaveProperty('x-tfe-notification-signature');
  });
});
