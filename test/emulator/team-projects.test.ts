import { expect, it } from 'vitest';
import type { Dialect } from '../../src/model/dialect.ts';
import {
  fixedLevels,
  impliedPermissions,
  type Permission,
  permissionPaths,
  permissions,
} from '../../src/model/permissions.ts';
import { serve } from './service.ts';

const seed = { projects: { Payments: 'prj-payments' }, teams: { sre: 'team-sre', dev: 'team-dev' } } as const;

const body = (attributes: Record<string, unknown>) => ({
  data: {
    type: 'team-projects',
    attributes,
    relationships: {
      project: { data: { type: 'projects', id: 'prj-payments' } },
      team: { data: { type: 'teams', id: 'team-sre' } },
    },
  },
});

/** Those that both dialects have. */
const neutralPaths = permissionPaths.filter((path) => !permissions[path].only);

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

it.each(fixedLevels)('a grant of the level %s has its implied permissions', async (level) => {
  const { grant } = await granted(level);
  expect(grant.attributes.access).toBe(level);
  expect(flat(grant.attributes)).toEqual(impliedPermissions[level]);
});

it('a custom grant has the documented defaults of unnamed permissions', async () => {
  const { grant } = await granted('custom');
  expect(flat(grant.attributes)).toEqual(
    Object.fromEntries(neutralPaths.map((path) => [path, permissions[path].customDefault])),
  );
});

it.each(permissionPaths)('a custom grant accepts every value of %s, and others are 422', async (path) => {
  const { ask, path: url } = await granted('custom', {}, permissions[path].only);
  for (const value of permissions[path].values) {
    const { status, body: answer } = await ask('PATCH', url, update(nested(path, value)));
    expect([status, answer.data.attributes]).toMatchObject([200, nested(path, value)]);
  }
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
    const grant = (rest: object) => ask('POST', '/team-projects', body({ access: level, ...rest }));
    const refused = await grant({ 'workspace-access': { runs: 'read' } });
    const pointer = '/data/attributes/workspace-access/runs';
    expect([refused.status, refused.body.errors[0].source.pointer]).toEqual([422, pointer]);
    expect((await grant({ 'workspace-access': {}, 'project-access': {} })).status).toBe(200);
  },
);
