import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/model/dialect.ts';
import {
  accessLevels,
  fixedLevels,
  impliedPermissions,
  onlyDialect,
  type Permission,
  permissionPaths,
  permissions,
} from '../../src/model/permissions.ts';
import { rowsIn } from '../support/rows.ts';
import { serve } from './service.ts';

const seed = { projects: { Payments: 'prj-payments' }, teams: { sre: 'team-sre', dev: 'team-dev' } } as const;

function body(attributes: Record<string, unknown>, project = 'prj-payments', team = 'team-sre') {
  return {
    data: {
      type: 'team-projects',
      attributes,
      relationships: {
        project: { data: { type: 'projects', id: project } },
        team: { data: { type: 'teams', id: team } },
      },
    },
  };
}

/** Those that both dialects have. */
const neutralPaths = permissionPaths.filter((path) => !onlyDialect(path));

const update = (attributes: Record<string, unknown>) => ({ data: { attributes } });

/** `workspace-access.runs` as the nested mapping that holds it. */
function nested(path: string, value: unknown): Record<string, unknown> {
  const [group = '', key = ''] = path.split('.');
  return { [group]: { [key]: value } };
}

function flat(attributes: Record<string, Record<string, Permission>>): Record<string, Permission> {
  return Object.fromEntries(
    neutralPaths.map((path) => {
      const [group = '', key = ''] = path.split('.');
      return [path, attributes[group]?.[key] as Permission];
    }),
  );
}

async function granted(access: string, rest: Record<string, unknown> = {}, dialect: Dialect = 'iac') {
  const service = await serve({ seed, dialect });
  const created = await service.ask('POST', '/team-projects', body({ access, ...rest }));
  expect(created.status).toBe(200);
  return { ...service, grant: created.body.data, path: `/team-projects/${created.body.data.id}` };
}

describe('2.4 access levels and the permissions that they imply', () => {
  it.each(fixedLevels)('a grant of the level %s has its implied permissions', async (level) => {
    const { grant } = await granted(level);
    expect(grant.attributes.access).toBe(level);
    expect(flat(grant.attributes)).toEqual(impliedPermissions(level));
  });

  it('a custom grant has the documented defaults of unnamed permissions', async () => {
    const { grant } = await granted('custom');
    expect(flat(grant.attributes)).toEqual(
      Object.fromEntries(neutralPaths.map((path) => [path, permissions[path].customDefault])),
    );
  });

  it.each(permissionPaths)('a custom grant accepts every value of %s', async (path) => {
    const { ask, path: url } = await granted('custom', {}, onlyDialect(path));
    for (const value of permissions[path].values) {
      const { status, body: answer } = await ask('PATCH', url, update(nested(path, value)));
      expect([status, answer.data.attributes]).toMatchObject([200, nested(path, value)]);
    }
  });

  it.each(permissionPaths)('a custom grant with an unknown value of %s is 422', async (path) => {
    const { ask, path: url } = await granted('custom', {}, onlyDialect(path));
    for (const value of ['nonsense', 1, null]) {
      const { status, body: answer } = await ask('PATCH', url, update(nested(path, value)));
      expect([status, answer.errors[0].source.pointer]).toEqual([
        422,
        `/data/attributes/${path.replace('.', '/')}`,
      ]);
    }
  });

  it.each(fixedLevels)(
    'a grant of the level %s with a permission is 422, and with empty mappings it is not',
    async (level) => {
      const { ask } = await serve({ seed });
      const refused = await ask(
        'POST',
        '/team-projects',
        body({ access: level, 'workspace-access': { runs: 'read' } }),
      );
      expect([refused.status, refused.body.errors[0].source.pointer]).toEqual([
        422,
        '/data/attributes/workspace-access/runs',
      ]);
      const accepted = await ask(
        'POST',
        '/team-projects',
        body({ access: level, 'workspace-access': {}, 'project-access': {} }),
      );
      expect(accepted.status).toBe(200);
    },
  );

  it('an update of a custom grant keeps unnamed permissions', async () => {
    const { ask, path } = await granted('custom', { 'workspace-access': { runs: 'plan' } });
    const { body: answer } = await ask('PATCH', path, update({ 'workspace-access': { variables: 'read' } }));
    expect(answer.data.attributes['workspace-access']).toMatchObject({ runs: 'plan', variables: 'read' });
  });

  it('a change from a fixed level to custom starts from the defaults, and a change back discards the permissions', async () => {
    const { ask, path } = await granted('admin');
    const custom = await ask(
      'PATCH',
      path,
      update({ access: 'custom', 'workspace-access': { runs: 'plan' } }),
    );
    expect(custom.body.data.attributes['workspace-access']).toMatchObject({ runs: 'plan', create: false });
    await ask('PATCH', path, update({ access: 'read' }));
    const again = await ask('PATCH', path, update({ access: 'custom' }));
    expect(again.body.data.attributes['workspace-access'].runs).toBe('read');
  });
});

it('a grant of the terraform dialect that becomes custom keeps the permissions that are not sent', async () => {
  const { ask, path } = await granted('write', {}, 'terraform');
  const { body: answer } = await ask(
    'PATCH',
    path,
    update({ access: 'custom', 'workspace-access': { runs: 'plan' } }),
  );
  expect(answer.data.attributes['workspace-access']).toMatchObject({
    runs: 'plan',
    variables: 'write',
    locking: true,
    create: false,
  });
});

describe('4.9 project team access', () => {
  it('POST of a grant answers 200 with the record, its relationships and its path', async () => {
    const { grant } = await granted('write');
    expect(grant).toMatchObject({
      id: expect.stringMatching(/^tprj-/),
      type: 'team-projects',
      relationships: {
        team: { data: { id: 'team-sre', type: 'teams' }, links: { related: '/api/v2/teams/team-sre' } },
        project: {
          data: { id: 'prj-payments', type: 'projects' },
          links: { related: '/api/v2/projects/prj-payments' },
        },
      },
      links: { self: `/api/v2/team-projects/${grant.id}` },
    });
  });

  it('GET shows one grant, and lists grants with filter[project][id] and the pagination envelope', async () => {
    const { ask, grant, path } = await granted('write');
    expect((await ask('GET', path)).body.data).toEqual(grant);
    const { body: list } = await ask('GET', '/team-projects?filter[project][id]=prj-payments');
    expect(list.data).toEqual([grant]);
    expect(list.meta.pagination).toMatchObject({ 'total-count': 1, 'page-size': 20 });
    expect(list.links.next).toBeNull();
  });

  it('GET of grants without the filter, or with an unknown project, is 404', async () => {
    const { ask } = await granted('write');
    expect((await ask('GET', '/team-projects')).status).toBe(404);
    expect((await ask('GET', '/team-projects?filter[project][id]=prj-none')).status).toBe(404);
  });

  it('PATCH of a grant changes the level without data.type, and without attributes changes nothing', async () => {
    const { ask, grant, path } = await granted('write');
    const changed = await ask('PATCH', path, { data: { id: grant.id, attributes: { access: 'maintain' } } });
    expect([changed.status, changed.body.data.attributes.access]).toEqual([200, 'maintain']);
    const same = await ask('PATCH', path, { data: { id: grant.id } });
    expect([same.status, same.body.data]).toEqual([200, changed.body.data]);
  });

  it('DELETE of a grant is 204 without a body, and removes the record', async () => {
    const { ask, path } = await granted('write');
    const deleted = await ask('DELETE', path);
    expect([deleted.status, deleted.body]).toEqual([204, undefined]);
    expect((await ask('GET', path)).status).toBe(404);
    expect((await ask('DELETE', path)).status).toBe(404);
  });

  it('POST of a grant with an unknown project or team is 404', async () => {
    const { ask } = await serve({ seed });
    expect((await ask('POST', '/team-projects', body({ access: 'read' }, 'prj-none'))).status).toBe(404);
    expect(
      (await ask('POST', '/team-projects', body({ access: 'read' }, 'prj-payments', 'team-none'))).status,
    ).toBe(404);
  });

  it('POST of a grant for a pair that has one is 422', async () => {
    const { ask } = await granted('read');
    expect((await ask('POST', '/team-projects', body({ access: 'write' }))).status).toBe(422);
  });

  it.each(rowsIn<[string, Record<string, unknown>, string]>`
- [no level, {data: {type: team-projects, attributes: {}, relationships: {project: {data: {type: projects, id: prj-payments}}, team: {data: {type: teams, id: team-sre}}}}}, /data/attributes/access]
- [an unknown level, {data: {type: team-projects, attributes: {access: super}, relationships: {project: {data: {type: projects, id: prj-payments}}, team: {data: {type: teams, id: team-sre}}}}}, /data/attributes/access]
- [no project, {data: {type: team-projects, attributes: {access: read}, relationships: {project: {data: {type: projects, id: ''}}, team: {data: {type: teams, id: team-sre}}}}}, /data/relationships/project]
- [no team, {data: {type: team-projects, attributes: {access: read}, relationships: {project: {data: {type: projects, id: prj-payments}}, team: {data: {type: teams, id: ''}}}}}, /data/relationships/team]
- [another type, {data: {type: teams, attributes: {access: read}, relationships: {project: {data: {type: projects, id: prj-payments}}, team: {data: {type: teams, id: team-sre}}}}}, /data/type]
- [a project of another type, {data: {type: team-projects, attributes: {access: read}, relationships: {project: {data: {type: wrong, id: prj-payments}}, team: {data: {type: teams, id: team-sre}}}}}, /data/relationships/project/data/type]
- [a team without a type, {data: {type: team-projects, attributes: {access: read}, relationships: {project: {data: {type: projects, id: prj-payments}}, team: {data: {id: team-sre}}}}}, /data/relationships/team/data/type]
- [a team id that is no text, {data: {type: team-projects, attributes: {access: read}, relationships: {project: {data: {type: projects, id: prj-payments}}, team: {data: {type: teams, id: 5}}}}}, /data/relationships/team/data/id]
- [attributes that are no mapping, {data: {type: team-projects, attributes: read, relationships: {project: {data: {type: projects, id: prj-payments}}, team: {data: {type: teams, id: team-sre}}}}}, /data/attributes]
- [a group that is no mapping,
   {data: {type: team-projects, attributes: {access: custom, project-access: all}, relationships: {project: {data: {type: projects, id: prj-payments}}, team: {data: {type: teams, id: team-sre}}}}},
   /data/attributes/project-access]
`)('POST of a grant with %s is 422', async (_title, sent, pointer) => {
    const { ask } = await serve({ seed });
    const { status, body: answer } = await ask('POST', '/team-projects', sent);
    expect([status, answer.errors[0].source.pointer]).toEqual([422, pointer]);
  });

  it.each(['GET', 'PATCH', 'DELETE'])('%s of a grant that does not exist is 404', async (method) => {
    const { ask } = await serve({ seed });
    expect(
      (await ask(method, '/team-projects/tprj-none', method === 'PATCH' ? update({}) : undefined)).status,
    ).toBe(404);
  });

  it('every level of the table can be granted', async () => {
    for (const level of accessLevels) expect((await granted(level)).grant.attributes.access).toBe(level);
  });
});
