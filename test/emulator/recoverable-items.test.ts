import { describe, expect, it } from 'vitest';
import type { Seed } from '../../src/emulator/index.ts';
import { workspaceBody } from '../support/ask.ts';
import { type Service, serve } from './service.ts';

const items = '/organizations/acme/recoverable-items';
const list = '/organizations/acme/workspaces';
const day = 86_400;

const seed: Seed = {
  settings: { 'recoverable-items-enabled': true },
  projects: { Platform: 'prj-platform', Payments: 'prj-payments' },
  workspaces: {
    network: {
      id: 'ws-network',
      project: 'Platform',
      tags: ['prod'],
      'auto-apply': true,
      'resource-count': 3,
      state: { id: 'sv-network' },
      'remote-state-consumers': ['billing'],
    },
    billing: { id: 'ws-billing', project: 'Payments' },
  },
};
const serveLive = (given: Seed = seed) => serve({ seed: given, dialect: 'terraform' });

const body = (type: string, attributes: Record<string, unknown>) => ({ data: { type, attributes } });

/** Deletes a workspace, and returns the id of its item. */
async function deleted({ ask }: Service, name = 'network'): Promise<string> {
  expect((await ask('DELETE', `${list}/${name}`)).status).toBe(204);
  const [item] = (await ask('GET', `${items}?filter[search]=${name}`)).body.data;
  return item.id;
}

async function act({ ask }: Service, id: string, action: 'recover' | 'permanently-delete') {
  const { status, body: answer } = await ask('PUT', `/recoverable-items/${id}/actions/${action}`);
  return [status, answer?.errors[0].title, answer?.errors[0].detail];
}
const refused = (detail: string) => [422, 'unprocessable content', detail];

describe('the list of recoverable items', () => {
  it('has a deleted workspace for seven days, with its project and resources', async () => {
    const service = await serveLive();
    const id = await deleted(service);
    const { data } = (await service.ask('GET', items)).body;
    expect(data).toEqual([
      {
        id,
        type: 'recoverable-items',
        attributes: {
          'recoverable-name': 'network',
          'deleted-at': expect.any(String),
          'expires-at': expect.any(String),
          'unmanaged-resources': 3,
          'permanently-deleted-at': null,
        },
        relationships: {
          project: { data: { id: 'prj-platform', type: 'projects' } },
          recoverable: { data: { id: 'ws-network', type: 'workspaces' } },
          'deleted-by': { data: { id: 'user-owner', type: 'users' } },
        },
      },
    ]);
    const { 'deleted-at': from, 'expires-at': to } = data[0].attributes;
    expect(Date.parse(to) - Date.parse(from)).toBe(7 * day * 1000);
  });

  it.each([
    ['', ['network', 'billing']],
    ['?filter[search]=NET', ['network']],
    ['?filter[search]=payments', ['billing']],
    ['?filter[recoverable_type]=workspaces', ['network', 'billing']],
    ['?filter[recoverable_type]=stacks', []],
    ['?filter[having_managed_resources]=true', ['network']],
    ['?filter[having_managed_resources]=false', ['network', 'billing']],
    ['?filter[expires_after]=2000-01-01T00:00:00Z', ['network', 'billing']],
    ['?filter[expires_after]=2999-01-01T00:00:00Z', []],
    ['?sort=recoverable_name', ['billing', 'network']],
    ['?sort=-unmanaged_resources', ['network', 'billing']],
    ['?page[size]=1&page[number]=2', ['billing']],
  ])('GET with %j returns the matching items', async (query, names) => {
    const service = await serveLive();
    await deleted(service);
    await deleted(service, 'billing');
    const { data } = (await service.ask('GET', `${items}${query}`)).body;
    expect(
      data.map((item: { attributes: Record<string, string> }) => item.attributes['recoverable-name']),
    ).toEqual(names);
  });

  it('include adds the workspace, its project and who deleted it, each once, and an unknown value is 400', async () => {
    const service = await serveLive();
    await deleted(service);
    await deleted(service, 'billing');
    const { included } = (await service.ask('GET', `${items}?include=recoverable,deleted_by,project`)).body;
    expect(included.map(({ type, id }: { type: string; id: string }) => `${type} ${id}`)).toEqual([
      'workspaces ws-network',
      'users user-owner',
      'projects prj-platform',
      'workspaces ws-billing',
      'projects prj-payments',
    ]);
    expect((await service.ask('GET', `${items}?include=nothing`)).status).toBe(400);
    expect((await service.ask('GET', `${items}?sort=nothing`)).status).toBe(400);
  });

  it('the items of an organization exist only if it has recoverable-items-enabled', async () => {
    const { ask } = await serveLive({ ...seed, settings: {} });
    expect((await ask('GET', items)).status).toBe(404);
    await ask('DELETE', `${list}/network`);
    await ask('PATCH', '/organizations/acme', body('organizations', { 'recoverable-items-enabled': true }));
    expect((await ask('GET', '/organizations/acme')).body.data.attributes).toMatchObject({
      'recoverable-items-enabled': true,
      permissions: { 'can-manage-recoverable-items': true },
    });
    expect((await ask('GET', items)).body.data).toEqual([]);
  });

  it('only owners see and use items', async () => {
    const tokens = { owner: { role: 'owner' }, manager: { role: 'manage-workspaces' } } as const;
    const { ask } = await serveLive({ ...seed, tokens });
    const as = (token: string) => ({ authorization: `Bearer ${token}` });
    await ask('DELETE', `${list}/network`, undefined, as('owner'));
    const [item] = (await ask('GET', items, undefined, as('owner'))).body.data;
    expect((await ask('GET', items, undefined, as('manager'))).status).toBe(404);
    const recover = `/recoverable-items/${item.id}/actions/recover`;
    expect((await ask('PUT', recover, undefined, as('manager'))).status).toBe(404);
    const { attributes } = (await ask('GET', '/organizations/acme', undefined, as('manager'))).body.data;
    expect(attributes.permissions['can-manage-recoverable-items']).toBe(false);
  });
});

describe('recover', () => {
  it('brings the workspace back with its id, settings, tags, consumers and state, and removes the item', async () => {
    const service = await serveLive();
    const before = (await service.ask('GET', '/workspaces/ws-network')).body.data;
    const id = await deleted(service);
    expect((await service.ask('GET', '/workspaces/ws-network')).status).toBe(404);
    expect(await act(service, id, 'recover')).toEqual([204, undefined, undefined]);
    expect((await service.ask('GET', '/workspaces/ws-network')).body.data).toEqual(before);
    const consumers = await service.ask('GET', '/workspaces/ws-network/relationships/remote-state-consumers');
    expect(consumers.body.data.map((one: { id: string }) => one.id)).toEqual(['ws-billing']);
    expect((await service.ask('GET', items)).body.data).toEqual([]);
  });

  it('is refused after seven days', async () => {
    const service = await serveLive();
    const id = await deleted(service);
    await service.ask('PUT', '/_emulator/clock', { ahead: 7 * day - 60 });
    await deleted(service, 'billing');
    await service.ask('PUT', '/_emulator/clock', { ahead: 7 * day });
    expect(await act(service, id, 'recover')).toEqual(
      refused('Recoverable item has expired and is no longer eligible for recovery'),
    );
    expect(await act(service, id, 'permanently-delete')).toEqual(
      refused('Recoverable item has already expired and been permanently deleted'),
    );
  });

  it('is refused after a permanent deletion, which the list shows', async () => {
    const service = await serveLive();
    const id = await deleted(service);
    expect(await act(service, id, 'permanently-delete')).toEqual([204, undefined, undefined]);
    expect(await act(service, id, 'recover')).toEqual(
      refused(
        'Recoverable item has been manually permanently deleted, and is no longer eligible for recovery',
      ),
    );
    expect(await act(service, id, 'permanently-delete')).toEqual(
      refused('Recoverable item has already been manually permanently deleted'),
    );
    const [item] = (await service.ask('GET', items)).body.data;
    expect(item.attributes['permanently-deleted-at']).toEqual(expect.any(String));
  });

  it('is refused a second time', async () => {
    const service = await serveLive();
    const id = await deleted(service);
    await act(service, id, 'recover');
    expect(await act(service, id, 'recover')).toEqual(refused('Recoverable item has already been recovered'));
    expect(await act(service, id, 'permanently-delete')).toEqual(
      refused('Recoverable item has been recovered, and is no longer eligible for permanent deletion'),
    );
  });

  it('fails if another workspace has the name or the project is gone', async () => {
    const service = await serveLive();
    const network = await deleted(service);
    await service.ask('POST', list, workspaceBody({ name: 'network' }));
    expect(await act(service, network, 'recover')).toEqual(refused('Recovery failed'));
    const billing = await deleted(service, 'billing');
    await service.ask('DELETE', '/projects/prj-payments');
    expect(await act(service, billing, 'recover')).toEqual(refused('Recovery failed'));
  });

  it('of an unknown item is 404', async () => {
    expect(await act(await serveLive(), 'ri-none', 'recover')).toEqual([404, 'not found', undefined]);
  });
});

it('a clock that is set to the past is refused', async () => {
  const { ask } = await serveLive();
  expect((await ask('PUT', '/_emulator/clock', { ahead: -1 })).status).toBe(422);
});
