import { describe, expect, it } from 'vitest';
import type { Seed } from '../../src/emulator/index.ts';
import { workspaceBody } from '../support/ask.ts';
import { rowsIn } from '../support/rows.ts';
import { serve } from './service.ts';

const list = '/organizations/acme/workspaces';

const seed: Seed = {
  projects: { Platform: 'prj-platform', Payments: 'prj-payments' },
  teams: { sre: 'team-sre', dev: 'team-dev', hidden: { id: 'team-hidden', secret: true } },
  workspaces: {
    mine: { id: 'ws-mine', project: 'Platform' },
    other: { id: 'ws-other', project: 'Platform', 'remote-state-consumers': ['mine', 'third'] },
    third: { id: 'ws-third', project: 'Platform' },
  },
  'team-access': { Platform: { sre: 'admin', hidden: 'read', dev: 'read' }, Payments: { sre: 'admin' } },
  tokens: {
    'owner-token': { role: 'owner' },
    'manager-token': { role: 'manage-workspaces' },
    'admin-token': { role: 'workspace-admin', workspaces: ['mine', 'other'] },
    'reader-token': { role: 'reader', workspaces: ['mine', 'other'] },
    'stranger-token': { role: 'none' },
    'sre-token': { role: 'reader', teams: ['sre'] },
    'dev-token': { role: 'reader', teams: ['dev'] },
  },
};
type Who = 'owner' | 'manager' | 'admin' | 'reader' | 'stranger' | 'sre' | 'dev';

async function as(who: Who, rest: Seed = {}) {
  const { ask } = await serve({ seed: { ...seed, ...rest } });
  const token = { authorization: `Bearer ${who}-token` };
  return (method: string, path: string, body?: unknown) => ask(method, path, body, token);
}

const everybody: readonly Who[] = ['owner', 'manager', 'admin', 'reader', 'stranger'];

const consumers = (...ids: string[]) => ({ data: ids.map((id) => ({ type: 'workspaces', id })) });

describe('5 authentication', () => {
  it.each([undefined, 'Bearer wrong', 'Basic abc', 'Bearer'])(
    'the emulator answers the header %j with 401',
    async (header) => {
      const { ask } = await serve({ seed });
      const { status, body } = await ask(
        'GET',
        list,
        undefined,
        header === undefined ? {} : { authorization: header },
      );
      expect([status, body]).toEqual([401, { errors: [{ status: '401', title: 'unauthorized' }] }]);
    },
  );

  it('the emulator without configured tokens treats every caller as an owner', async () => {
    const { ask } = await serve({ seed: { workspaces: { w: {} } } });
    expect((await ask('GET', `${list}/w`)).status).toBe(200);
    expect((await ask('DELETE', `${list}/w`, undefined, { authorization: 'Bearer anything' })).status).toBe(
      204,
    );
  });
});

// What each role is answered, in the order of `everybody`.
describe.each(rowsIn<[string, readonly number[], string, string, unknown?]>`
- [GET a workspace, [200, 200, 200, 200, 404], GET, /workspaces/ws-mine]
- [GET a workspace that the role does not cover, [200, 200, 404, 404, 404], GET, /workspaces/ws-third]
- [GET the list, [200, 200, 200, 200, 404], GET, /organizations/acme/workspaces]
- [POST a workspace, [201, 201, 404, 404, 404], POST, /organizations/acme/workspaces, {data: {type: workspaces, attributes: {name: new}}}]
- [PATCH a workspace, [200, 200, 200, 404, 404], PATCH, /workspaces/ws-mine, {data: {type: workspaces, attributes: {description: x}}}]
- [POST lock, [200, 200, 200, 404, 404], POST, /workspaces/ws-mine/actions/lock]
- [POST force-unlock, [409, 409, 409, 404, 404], POST, /workspaces/ws-mine/actions/force-unlock]
- [POST safe-delete, [204, 204, 204, 404, 404], POST, /workspaces/ws-mine/actions/safe-delete]
- [DELETE (force delete), [204, 403, 403, 403, 404], DELETE, /workspaces/ws-mine]
- [POST tags, [204, 204, 204, 404, 404], POST, /workspaces/ws-mine/relationships/tags, {data: [{type: tags, attributes: {name: x}}]}]
- [PATCH consumers, [204, 204, 404, 404, 404], PATCH, /workspaces/ws-mine/relationships/remote-state-consumers, {data: [{type: workspaces, id: ws-other}]}]
- [POST consumers, [204, 204, 204, 404, 404], POST, /workspaces/ws-mine/relationships/remote-state-consumers, {data: [{type: workspaces, id: ws-other}]}]
- [POST consumers that not everybody can read, [204, 204, 422, 404, 404], POST, /workspaces/ws-mine/relationships/remote-state-consumers, {data: [{type: workspaces, id: ws-third}]}]
- [POST team access, [200, 404, 404, 404, 404], POST, /team-projects, {data: {type: team-projects, attributes: {access: read}, relationships: {project: {data: {type: projects, id: prj-payments}}, team: {data: {type: teams, id: team-dev}}}}}]
`)('5 and 7: %s', (what, statuses, method, path, body) => {
  it.each(everybody.map((who, index) => ({ who, status: statuses[index] })))(
    `${what} is $status for $who`,
    async ({ who, status }) => {
      expect((await (await as(who))(method, path, body)).status).toBe(status);
    },
  );
});

describe('5 what a caller sees', () => {
  const names = (body: { data: { attributes: { name: string } }[] }) =>
    body.data.map((item) => item.attributes.name);

  it('lists of the emulator leave out what the caller cannot read, totals included', async () => {
    const ask = await as('reader');
    const { body } = await ask('GET', list);
    expect([names(body), body.meta.pagination['total-count']]).toEqual([['mine', 'other'], 2]);
    expect(
      names((await ask('GET', '/workspaces/ws-other/relationships/remote-state-consumers')).body),
    ).toEqual(['mine']);
  });

  it('an unreadable consumer stays in the list when a workspace admin changes it', async () => {
    const { ask } = await serve({ seed });
    const path = '/workspaces/ws-other/relationships/remote-state-consumers';
    await ask('DELETE', path, consumers('ws-mine'), { authorization: 'Bearer admin-token' });
    expect(names((await ask('GET', path, undefined, { authorization: 'Bearer owner-token' })).body)).toEqual([
      'third',
    ]);
  });

  it.each([
    ['owner', { 'can-update': true, 'can-force-delete': true }],
    ['manager', { 'can-update': true, 'can-force-delete': false }],
    ['admin', { 'can-update': true, 'can-force-delete': false }],
    ['reader', { 'can-update': false, 'can-read-settings': true, 'can-lock': false }],
  ] as const)('the permissions of a workspace are those of the caller: %s', async (who, expected) => {
    const { body } = await (await as(who))('GET', '/workspaces/ws-mine');
    expect(body.data.attributes.permissions).toMatchObject(expected);
  });

  it('4.2: an organization can let workspace admins force delete', async () => {
    const ask = await as('admin', { settings: { 'allow-force-delete': true } });
    expect((await ask('DELETE', '/workspaces/ws-mine')).status).toBe(204);
  });

  it('a lock that another caller holds cannot be unlocked', async () => {
    const { ask } = await serve({ seed });
    await ask('POST', '/workspaces/ws-mine/actions/lock', undefined, { authorization: 'Bearer owner-token' });
    const refused = await ask('POST', '/workspaces/ws-mine/actions/unlock', undefined, {
      authorization: 'Bearer admin-token',
    });
    expect(refused.status).toBe(409);
  });

  it('the token of a team locks as the team on the live service, and only its tokens unlock', async () => {
    const { ask } = await serve({
      dialect: 'terraform',
      seed: {
        teams: { sre: { id: 'team-sre' } },
        tokens: {
          all: { role: 'owner' },
          tm: { role: 'workspace-admin', teams: ['sre'], kind: 'team' },
        },
        workspaces: {
          w: { id: 'ws-w' },
          seeded: { id: 'ws-seeded', locked: { by: 'team-sre' } },
        },
      },
    });
    const send = (action: string, token: string) =>
      ask('POST', `/workspaces/${action}`, undefined, { authorization: `Bearer ${token}` });
    const locked = await send('ws-w/actions/lock', 'tm');
    expect(locked.body.data.relationships['locked-by'].data).toEqual({ type: 'teams', id: 'team-sre' });
    const refused = await send('ws-w/actions/unlock', 'all');
    expect([refused.status, refused.body.errors[0].detail]).toEqual([
      409,
      expect.stringContaining('is locked by Team team-sre'),
    ]);
    for (const id of ['ws-w', 'ws-seeded'])
      expect((await send(`${id}/actions/unlock`, 'tm')).status).toBe(200);
  });

  it('project admins see all grants of the project, members see those of their teams', async () => {
    const teams = async (who: Who) => {
      const { body } = await (await as(who))('GET', '/team-projects?filter[project][id]=prj-platform');
      return body.data.map(
        (grant: { relationships: { team: { data: { id: string } } } }) => grant.relationships.team.data.id,
      );
    };
    expect(await teams('owner')).toEqual(['team-sre', 'team-hidden', 'team-dev']);
    expect(await teams('sre')).toEqual(['team-sre', 'team-hidden', 'team-dev']);
    expect(await teams('dev')).toEqual(['team-dev']);
    expect(await teams('reader')).toEqual([]);
  });

  it('project admins may change grants and create in their project; members may not', async () => {
    const sre = await as('sre');
    const [grant] = (await sre('GET', '/team-projects?filter[project][id]=prj-platform')).body.data;
    expect(
      (await sre('PATCH', `/team-projects/${grant.id}`, { data: { attributes: { access: 'write' } } }))
        .status,
    ).toBe(200);
    const ask = await as('sre');
    expect((await ask('POST', list, workspaceBody({ name: 'new' }, 'prj-platform'))).status).toBe(201);
    expect((await ask('POST', list, workspaceBody({ name: 'new2' }))).status).toBe(404);
    expect(
      (await (await as('dev'))('POST', list, workspaceBody({ name: 'new' }, 'prj-platform'))).status,
    ).toBe(404);
  });

  it('a member sees its own grant and cannot change or delete it', async () => {
    const dev = await as('dev');
    const [grant] = (await dev('GET', '/team-projects?filter[project][id]=prj-platform')).body.data;
    const path = `/team-projects/${grant.id}`;
    expect((await dev('GET', path)).status).toBe(200);
    expect((await dev('PATCH', path, { data: { attributes: { access: 'admin' } } })).status).toBe(404);
    expect((await dev('DELETE', path)).status).toBe(404);
  });

  it('4.1: a move needs admin on both projects', async () => {
    expect(
      (await (await as('owner'))('PATCH', '/workspaces/ws-mine', workspaceBody({}, 'prj-payments'))).status,
    ).toBe(200);
    expect(
      (await (await as('admin'))('PATCH', '/workspaces/ws-mine', workspaceBody({}, 'prj-payments'))).status,
    ).toBe(404);
    const member: Seed = { tokens: { 'sre-token': { role: 'workspace-admin', teams: ['sre'] } } };
    expect(
      (await (await as('sre', member))('PATCH', '/workspaces/ws-mine', workspaceBody({}, 'prj-payments')))
        .status,
    ).toBe(200);
  });

  it('a secret team is visible to its members and to owners only', async () => {
    const found = async (who: Who) => (await (await as(who))('GET', '/teams/team-hidden')).status;
    expect([await found('owner'), await found('reader')]).toEqual([200, 404]);
  });

  it('tokens of one organization do not see another organization', async () => {
    const { ask } = await serve({
      seed: {
        organizations: { acme: {}, example: { workspaces: { w: {} } } },
        tokens: { 'acme-token': { role: 'owner', organization: 'acme' } },
      },
    });
    const token = { authorization: 'Bearer acme-token' };
    expect((await ask('GET', '/organizations/example/workspaces/w', undefined, token)).status).toBe(404);
    expect((await ask('GET', '/organizations', undefined, token)).body.data).toHaveLength(1);
  });

  it('the project, pool, key, connection, tag, workspace and team of another organization are unknown', async () => {
    const { ask } = await serve({
      seed: {
        organizations: {
          acme: {
            projects: { P: 'prj-1' },
            'vcs-connections': { own: 'ot-1' },
            workspaces: { w: { id: 'ws-w' } },
          },
          example: {
            projects: { P: 'prj-2' },
            teams: { t: 'team-2' },
            'agent-pools': { a: 'apool-2' },
            'ssh-keys': { k: 'sshkey-2' },
            'vcs-connections': { v: 'ot-2' },
            workspaces: { w: { id: 'ws-2', tags: ['x'] } },
          },
        },
      },
    });
    const [foreign] = (await ask('GET', '/workspaces/ws-2/relationships/tags')).body.data;
    const pool = { 'execution-mode': 'agent', 'agent-pool-id': 'apool-2' };
    const repository = { 'vcs-repo': { identifier: 'a/b', 'oauth-token-id': 'ot-2' } };
    const grant = {
      data: {
        type: 'team-projects',
        attributes: { access: 'read' },
        relationships: {
          project: { data: { type: 'projects', id: 'prj-1' } },
          team: { data: { type: 'teams', id: 'team-2' } },
        },
      },
    };
    const key = { data: { type: 'workspaces', attributes: { id: 'sshkey-2' } } };
    const asked = [
      await ask('PATCH', '/workspaces/ws-w', workspaceBody({}, 'prj-2')),
      await ask('PATCH', '/workspaces/ws-w', workspaceBody(pool)),
      await ask('PATCH', '/workspaces/ws-w/relationships/ssh-key', key),
      await ask('PATCH', '/workspaces/ws-w', workspaceBody(repository)),
      await ask('POST', '/workspaces/ws-w/relationships/tags', { data: [{ type: 'tags', id: foreign.id }] }),
      await ask('POST', '/workspaces/ws-w/relationships/remote-state-consumers', consumers('ws-2')),
      await ask('POST', '/team-projects', grant),
    ];
    expect(asked.map((reply) => reply.status)).toEqual([404, 422, 404, 422, 404, 422, 404]);
  });
});
