import { describe, expect, it } from 'vitest';
import { workspaceBody } from '../support/ask.ts';
import { serve } from './service.ts';

const list = '/organizations/acme/workspaces';

describe('4.1 workspace create, show and update', () => {
  it('POST of a workspace is 201, and both forms of GET show the same document', async () => {
    const { ask } = await serve();
    const created = await ask('POST', list, workspaceBody({ name: 'network' }));
    expect(created.status).toBe(201);
    const byId = await ask('GET', `/workspaces/${created.body.data.id}`);
    const byName = await ask('GET', `${list}/network`);
    expect(byId.status).toBe(200);
    expect(byId.body).toEqual(created.body);
    expect(byName.body).toEqual(created.body);
  });

  it('PATCH of a workspace by id and by name keeps unnamed attributes', async () => {
    const { ask } = await serve({
      seed: { workspaces: { network: { description: 'old', 'auto-apply': true } } },
    });
    const shown = await ask('PATCH', `${list}/network`, workspaceBody({ description: 'new' }));
    expect(shown.body.data.attributes).toMatchObject({ description: 'new', 'auto-apply': true });
    const again = await ask(
      'PATCH',
      `/workspaces/${shown.body.data.id}`,
      workspaceBody({ 'auto-apply': false }),
    );
    expect(again.body.data.attributes).toMatchObject({ description: 'new', 'auto-apply': false });
  });

  it('a rename of a workspace changes the name-based path at once', async () => {
    const { ask } = await serve({ seed: { workspaces: { old: {} } } });
    await ask('PATCH', `${list}/old`, workspaceBody({ name: 'new' }));
    expect((await ask('GET', `${list}/old`)).status).toBe(404);
    expect((await ask('GET', `${list}/new`)).status).toBe(200);
  });

  it('a workspace name in use is refused with the pointer of the name', async () => {
    const { ask } = await serve({ seed: { workspaces: { network: {}, billing: {} } } });
    const expected = {
      errors: [
        {
          status: '422',
          title: 'invalid attribute',
          detail: 'Name has already been taken',
          source: { pointer: '/data/attributes/name' },
        },
      ],
    };
    const created = await ask('POST', list, workspaceBody({ name: 'network' }));
    expect([created.status, created.body]).toEqual([422, expected]);
    const renamed = await ask('PATCH', `${list}/billing`, workspaceBody({ name: 'network' }));
    expect([renamed.status, renamed.body]).toEqual([422, expected]);
    const same = await ask('PATCH', `${list}/billing`, workspaceBody({ name: 'billing' }));
    expect(same.status).toBe(200);
  });

  it('a workspace write requires data.type workspaces, a JSON body and a complete document', async () => {
    const { ask } = await serve({ seed: { workspaces: { network: {} } } });
    const typed = await ask('PATCH', `${list}/network`, { data: { type: 'projects', attributes: {} } });
    expect([typed.status, typed.body.errors[0].source.pointer]).toEqual([422, '/data/type']);
    expect((await ask('POST', list, '{"data":')).status).toBe(400);
    expect((await ask('POST', list, {})).status).toBe(422);
  });

  it.each([
    ['attributes', { attributes: 'oops' }, ''],
    ['relationships', { relationships: [] }, ''],
    ['relationships/project', { relationships: { project: 'prj-platform' } }, ''],
    ['relationships/project/data', { type: 'teams', id: 'prj-platform' }, '/type'],
    ['relationships/project/data', { id: 'prj-platform' }, '/type'],
    ['relationships/project/data', { type: 'projects', id: 5 }, '/id'],
  ])('a write of a workspace with a wrong type under %s is 422 (%j)', async (place, sent, key) => {
    const { ask } = await serve({
      seed: { projects: { Platform: 'prj-platform' }, workspaces: { network: {} } },
    });
    const document = place.endsWith('data') ? { relationships: { project: { data: sent } } } : sent;
    const data = { type: 'workspaces', attributes: { name: 'new' }, ...document };
    for (const [method, path] of [
      ['POST', list],
      ['PATCH', `${list}/network`],
    ] as const) {
      const { status, body } = await ask(method, path, { data });
      expect([status, body.errors[0].source.pointer]).toEqual([422, `/data/${place}${key}`]);
    }
  });

  it('a create without a project uses the default one, a blank update keeps it, an id moves the workspace, an unknown id is 404', async () => {
    const { ask } = await serve({
      seed: { projects: { Platform: 'prj-platform' }, settings: { 'default-project': 'Platform' } },
    });
    const created = await ask('POST', list, workspaceBody({ name: 'network' }, ''));
    expect(created.body.data.relationships.project.data.id).toBe('prj-platform');
    expect((await ask('PATCH', `${list}/network`, workspaceBody({}, 'prj-none'))).status).toBe(404);
  });

  it('the same creates give the same ids in any order, and a reused name gets a new id', async () => {
    const ids = async (names: readonly string[]) => {
      const { ask } = await serve();
      const created = [];
      for (const name of names) created.push((await ask('POST', list, workspaceBody({ name }))).body.data.id);
      return created.sort();
    };
    expect(await ids(['a', 'b'])).toEqual(await ids(['b', 'a']));
    const { ask } = await serve();
    const first = await ask('POST', list, workspaceBody({ name: 'a' }));
    await ask('DELETE', `${list}/a`);
    const second = await ask('POST', list, workspaceBody({ name: 'a' }));
    expect(second.body.data.id).not.toBe(first.body.data.id);
  });
});
