import { describe, expect, it } from 'vitest';
import { workspaceBody } from '../support/ask.ts';
import { type Service, serve } from './service.ts';

const list = '/organizations/acme/workspaces';

/** Three workspaces a, b and c with the path of the relation on a. */
async function three(relation: string, content: Record<string, unknown> = {}) {
  const service = await serve({ seed: { workspaces: { a: content, b: {}, c: {} } } });
  const ids: Record<string, string> = {};
  for (const name of ['a', 'b', 'c']) ids[name] = (await service.ask('GET', `${list}/${name}`)).body.data.id;
  return { ...service, ids, path: `/workspaces/${ids.a}/relationships/${relation}` };
}

async function shownNames({ ask }: Service, path: string): Promise<string[]> {
  const { body } = await ask('GET', path);
  return body.data.map((item: { attributes: { name: string } }) => item.attributes.name).sort();
}

describe('4.5 remote state consumers', () => {
  const body = (...ids: unknown[]) => ({ data: ids.map((id) => ({ type: 'workspaces', id })) });

  it('POST of consumers adds them, and skips existing ones', async () => {
    const service = await three('remote-state-consumers');
    const { ask, ids, path } = service;
    expect((await ask('POST', path, body(ids.b))).status).toBe(204);
    expect((await ask('POST', path, body(ids.b, ids.c))).status).toBe(204);
    expect(await shownNames(service, path)).toEqual(['b', 'c']);
  });

  it('PATCH of consumers replaces the list with exactly the one sent, an empty one included', async () => {
    const service = await three('remote-state-consumers', { 'remote-state-consumers': ['b'] });
    const { ask, ids, path } = service;
    expect((await ask('PATCH', path, body(ids.c))).status).toBe(204);
    expect(await shownNames(service, path)).toEqual(['c']);
    await ask('PATCH', path, body());
    expect(await shownNames(service, path)).toEqual([]);
  });

  it('DELETE of consumers removes them, and skips missing ones', async () => {
    const service = await three('remote-state-consumers', { 'remote-state-consumers': ['b'] });
    const { ask, ids, path } = service;
    expect((await ask('DELETE', path, body(ids.b, ids.c))).status).toBe(204);
    expect(await shownNames(service, path)).toEqual([]);
  });

  it('GET of consumers answers full workspace documents in pages of 20', async () => {
    const { ask, ids, path } = await three('remote-state-consumers', { 'remote-state-consumers': ['b'] });
    const { body: shown } = await ask('GET', path);
    expect(shown.data).toEqual([(await ask('GET', `/workspaces/${ids.b}`)).body.data]);
    expect(shown.meta.pagination).toMatchObject({ 'page-size': 20, 'total-count': 1 });
  });

  it.each(['POST', 'PATCH', 'DELETE'])(
    '%s of consumers with the workspace itself, an unknown id, a wrong type or no list is 422',
    async (method) => {
      const { ask, ids, path } = await three('remote-state-consumers');
      expect((await ask(method, path, body(ids.a))).status).toBe(422);
      expect((await ask(method, path, body('ws-none'))).status).toBe(422);
      expect((await ask(method, path, { data: [{ type: 'tags', id: ids.b }] })).status).toBe(422);
      expect((await ask(method, path, { data: ids.b })).status).toBe(422);
      expect((await ask(method, path)).status).toBe(422);
    },
  );

  it.each(['POST', 'PATCH', 'DELETE'])(
    '%s of consumers is 422 while global-remote-state is true',
    async (method) => {
      const { ask, ids, path } = await three('remote-state-consumers', { 'global-remote-state': true });
      expect((await ask(method, path, body(ids.b))).status).toBe(422);
    },
  );

  it('GET of consumers with global-remote-state lists every other workspace, and the stored list is kept', async () => {
    const service = await three('remote-state-consumers', { 'remote-state-consumers': ['b'] });
    const { ask, path } = service;
    await ask('PATCH', `${list}/a`, workspaceBody({ 'global-remote-state': true }));
    expect(await shownNames(service, path)).toEqual(['b', 'c']);
    await ask('PATCH', `${list}/a`, workspaceBody({ 'global-remote-state': false }));
    expect(await shownNames(service, path)).toEqual(['b']);
  });

  it('two workspaces may read each other', async () => {
    const service = await three('remote-state-consumers', { 'remote-state-consumers': ['b'] });
    const { ask, ids } = service;
    expect(
      (await ask('POST', `/workspaces/${ids.b}/relationships/remote-state-consumers`, body(ids.a))).status,
    ).toBe(204);
  });

  it('a deleted workspace is removed from every consumer list', async () => {
    const service = await three('remote-state-consumers', { 'remote-state-consumers': ['b', 'c'] });
    await service.ask('DELETE', `${list}/b`);
    expect(await shownNames(service, service.path)).toEqual(['c']);
  });

  it.each(['GET', 'POST', 'PATCH', 'DELETE'])(
    '%s of consumers of a workspace that does not exist is 404',
    async (method) => {
      const { ask } = await serve();
      const sent = method === 'GET' ? undefined : body();
      expect(
        (await ask(method, '/workspaces/ws-none/relationships/remote-state-consumers', sent)).status,
      ).toBe(404);
    },
  );
});

describe('2.3 and 4.6 tags', () => {
  const named = (...names: string[]) => ({
    data: names.map((name) => ({ type: 'tags', attributes: { name } })),
  });
  const byId = (...ids: string[]) => ({ data: ids.map((id) => ({ type: 'tags', id })) });

  it('POST of a tag by name creates it, and accepts a tag that exists', async () => {
    const { ask, path } = await three('tags');
    expect((await ask('POST', path, named('prod'))).status).toBe(204);
    expect((await ask('POST', path, named('prod', 'eu'))).status).toBe(204);
    expect((await ask('GET', `${list}/a`)).body.data.attributes['tag-names']).toEqual(['prod', 'eu']);
  });

  it('GET of tags returns id, name, created-at, instance-count and the organization, in pages of 20', async () => {
    const { ask, path } = await three('tags', { tags: ['prod'] });
    const { body } = await ask('GET', path);
    expect(body.data).toEqual([
      {
        id: expect.stringMatching(/^tag-/),
        type: 'tags',
        attributes: { name: 'prod', 'created-at': expect.any(String), 'instance-count': 1 },
        relationships: { organization: { data: { id: 'acme', type: 'organizations' } } },
      },
    ]);
    expect(body.meta.pagination['page-size']).toBe(20);
  });

  it('POST of a tag by id shares the tag and counts its instances', async () => {
    const { ask, ids, path } = await three('tags', { tags: ['prod'] });
    const [tag] = (await ask('GET', path)).body.data;
    await ask('POST', `/workspaces/${ids.b}/relationships/tags`, byId(tag.id));
    const [shared] = (await ask('GET', path)).body.data;
    expect([shared.id, shared.attributes['instance-count']]).toEqual([tag.id, 2]);
  });

  it('DELETE of a tag by id and by name removes it, and an unknown name does nothing', async () => {
    const { ask, path } = await three('tags', { tags: ['prod', 'eu'] });
    const [prod] = (await ask('GET', path)).body.data;
    expect((await ask('DELETE', path, byId(prod.id))).status).toBe(204);
    expect((await ask('DELETE', path, named('eu', 'never-heard-of'))).status).toBe(204);
    expect((await ask('GET', path)).body.data).toEqual([]);
  });

  it('POST of an id that is not of a tag is 404', async () => {
    const { ask, path } = await three('tags');
    expect((await ask('DELETE', path, byId('tag-none'))).status).toBe(404);
    expect((await ask('POST', path, byId('tag-none'))).status).toBe(404);
  });

  it.each([
    ['no type', { data: [{ attributes: { name: 'x' } }] }],
    ['neither id nor name', { data: [{ type: 'tags' }] }],
    ['an empty name', { data: [{ type: 'tags', attributes: { name: '' } }] }],
    ['no list', { data: {} }],
  ])('POST of tags with %s is 422', async (_title, body) => {
    const { ask, path } = await three('tags');
    expect((await ask('POST', path, body)).status).toBe(422);
  });

  it('a tag that no workspace uses is removed from the list of the organization', async () => {
    const { ask, path } = await three('tags', { tags: ['prod', 'eu'] });
    const all = async () =>
      (await ask('GET', '/organizations/acme/tags')).body.data.map(
        (tag: { attributes: { name: string } }) => tag.attributes.name,
      );
    expect(await all()).toEqual(['prod', 'eu']);
    await ask('DELETE', path, named('eu'));
    expect(await all()).toEqual(['prod']);
    await ask('DELETE', `${list}/a`);
    expect(await all()).toEqual([]);
  });

  it('the letter case of a tag is kept in the iac dialect', async () => {
    const { ask, path } = await three('tags');
    await ask('POST', path, named('Prod'));
    expect((await ask('GET', `${list}/a`)).body.data.attributes['tag-names']).toEqual(['Prod']);
  });

  it.each(['GET', 'POST', 'DELETE'])(
    '%s of tags of a workspace that does not exist is 404',
    async (method) => {
      const { ask } = await serve();
      const sent = method === 'GET' ? undefined : named('x');
      expect((await ask(method, '/workspaces/ws-none/relationships/tags', sent)).status).toBe(404);
    },
  );
});
