import { describe, expect, it } from 'vitest';
import type { Seed } from '../../src/emulator/index.ts';
import { workspaceBody } from '../support/ask.ts';
import { serve } from './service.ts';

const acme = '/organizations/acme';
const seed: Seed = {
  settings: { 'default-execution-mode': 'remote' },
  'agent-pools': { onprem: 'apool-1' },
  projects: {
    Platform: 'prj-platform',
    Lab: { id: 'prj-lab', 'default-execution-mode': 'local', 'auto-destroy-activity-duration': '1d' },
    Agents: { id: 'prj-agents', 'default-execution-mode': 'agent', 'default-agent-pool': 'onprem' },
    Stacked: { id: 'prj-stacked', stacks: 2 },
  },
  teams: {
    sre: 'team-sre',
    hidden: { id: 'team-hidden', secret: true },
    trusted: { id: 'team-trusted', 'organization-access': ['access-secret-teams'] },
  },
  workspaces: {
    a: { id: 'ws-a', project: 'Platform' },
    b: { id: 'ws-b', project: 'Platform' },
    own: { id: 'ws-own', project: 'Platform', 'execution-mode': 'remote' },
  },
};
const sre = {
  'team-access': { Platform: { sre: 'maintain', hidden: 'read' }, Lab: { sre: 'admin', hidden: 'read' } },
  tokens: {
    owner: { role: 'owner' },
    sre: { role: 'workspace-admin', teams: ['sre'] },
    trusted: { role: 'reader', teams: ['trusted'] },
    reader: { role: 'reader', workspaces: ['a'] },
  },
} as const;
const serveLive = (rest: Seed = {}) => serve({ seed: { ...seed, ...rest }, dialect: 'terraform' });
const as = (token: string) => ({ authorization: `Bearer ${token}` });
const move = (...ids: string[]) => ({ data: ids.map((id) => ({ type: 'workspaces', id })) });
const lab = '/projects/prj-lab/relationships/workspaces';
const body = (attributes: Record<string, unknown>, relationships: Record<string, unknown> = {}) => ({
  data: { type: 'projects', attributes, relationships },
});

describe('POST /projects/:id/relationships/workspaces', () => {
  it('moves all workspaces, which take over the mode and the schedule of the project', async () => {
    const { ask } = await serveLive();
    expect((await ask('POST', lab, move('ws-a', 'ws-own'))).status).toBe(204);
    const shown = async (id: string) => (await ask('GET', `/workspaces/${id}`)).body.data;
    expect(await shown('ws-a')).toMatchObject({
      attributes: {
        'execution-mode': 'local',
        'auto-destroy-activity-duration': '1d',
        'inherits-project-auto-destroy': true,
      },
      relationships: { project: { data: { id: 'prj-lab' } } },
    });
    expect((await shown('ws-own')).attributes['execution-mode']).toBe('remote');
    expect((await shown('ws-b')).relationships.project.data.id).toBe('prj-platform');
    await ask('POST', '/projects/prj-agents/relationships/workspaces', move('ws-a'));
    expect(await shown('ws-a')).toMatchObject({
      attributes: { 'execution-mode': 'agent', 'auto-destroy-activity-duration': null },
      relationships: { 'agent-pool': { data: { id: 'apool-1' } } },
    });
  });

  it.each([
    ['an unknown workspace', move('ws-a', 'ws-none'), 404],
    ['another type', { data: [{ type: 'projects', id: 'ws-a' }] }, 422],
    ['101 workspaces', move(...Array.from({ length: 101 }, () => 'ws-a')), 422],
    ['no list', {}, 422],
  ])('of %s moves nothing', async (_what, sent, status) => {
    const { ask } = await serveLive();
    expect((await ask('POST', lab, sent)).status).toBe(status);
    expect((await ask('GET', '/workspaces/ws-a')).body.data.relationships.project.data.id).toBe(
      'prj-platform',
    );
  });

  it('moves nothing if one workspace may not be moved (403), or is not visible (404)', async () => {
    const { ask } = await serveLive(sre);
    // The level maintain of the source does not include moves.
    expect((await ask('POST', lab, move('ws-a'), as('sre'))).status).toBe(403);
    expect((await ask('POST', lab, move('ws-b'), as('reader'))).status).toBe(404);
    const { ask: other } = await serveLive({
      ...sre,
      'team-access': { Platform: { sre: 'admin' }, Lab: { sre: 'admin' } },
    });
    expect((await other('POST', lab, move('ws-a', 'ws-b'), as('sre'))).status).toBe(204);
  });

  it('is 422 if a workspace has a tag that may not override one of the project', async () => {
    const { ask } = await serveLive({
      settings: { 'reserved-tag-keys': ['env'] },
      projects: { Platform: 'prj-platform', Lab: { id: 'prj-lab', 'tag-bindings': { env: 'lab' } } },
      workspaces: {
        a: { id: 'ws-a', project: 'Platform' },
        tagged: { id: 'ws-tagged', project: 'Platform', 'tag-bindings': { env: 'prod' } },
      },
    });
    expect((await ask('POST', lab, move('ws-a', 'ws-tagged'))).status).toBe(422);
    expect((await ask('POST', lab, move('ws-a'))).status).toBe(204);
  });
});

describe('what a project hands down', () => {
  it('a seeded project has its own execution mode and agent pool', async () => {
    const { ask } = await serveLive();
    const agents = (await ask('GET', '/projects/prj-agents')).body.data;
    expect(agents).toMatchObject({
      attributes: {
        'default-execution-mode': 'agent',
        'setting-overwrites': { 'default-execution-mode': true, 'default-agent-pool': true },
      },
      relationships: { 'default-agent-pool': { data: { id: 'apool-1' } } },
    });
    expect((await ask('GET', '/projects/prj-platform')).body.data.attributes).toMatchObject({
      'default-execution-mode': 'remote',
      'setting-overwrites': { 'default-execution-mode': false, 'default-agent-pool': false },
    });
    await expect(
      serveLive({ projects: { P: { 'default-execution-mode': 'agent' } }, workspaces: {} }),
    ).rejects.toThrow('default-execution-mode: agent and default-agent-pool require each other');
  });

  it('a PATCH accepts the default agent pool as a relationship and as an attribute', async () => {
    const { ask } = await serveLive();
    const mode = { 'default-execution-mode': 'agent' };
    const pool = { 'default-agent-pool': { data: { type: 'agent-pools', id: 'apool-1' } } };
    for (const sent of [body(mode, pool), body({ ...mode, 'default-agent-pool-id': 'apool-1' })]) {
      const { data } = (await ask('PATCH', '/projects/prj-platform', sent)).body;
      expect(data.relationships['default-agent-pool'].data.id).toBe('apool-1');
      await ask('PATCH', '/projects/prj-platform', body({ 'default-execution-mode': 'remote' }));
    }
    expect((await ask('PATCH', '/projects/prj-platform', body({}, pool))).status).toBe(422);
  });

  it('workspaces inherit from the project, and a project without its own values from the organization', async () => {
    const { ask } = await serveLive();
    const mode = async () => (await ask('GET', '/workspaces/ws-a')).body.data.attributes['execution-mode'];
    await ask('PATCH', acme, {
      data: { type: 'organizations', attributes: { 'default-execution-mode': 'local' } },
    });
    expect(await mode()).toBe('local');
    await ask('PATCH', '/projects/prj-platform', body({ 'default-execution-mode': 'remote' }));
    expect(await mode()).toBe('remote');
    const flags = { 'setting-overwrites': { 'default-execution-mode': false, 'default-agent-pool': false } };
    await ask('PATCH', '/projects/prj-platform', body(flags));
    expect(await mode()).toBe('local');
    await ask('PATCH', '/workspaces/ws-a', workspaceBody({ 'execution-mode': 'remote' }));
    expect(await mode()).toBe('remote');
  });
});

describe('projects as a caller sees them', () => {
  it('documents have counts, and the permissions of the caller', async () => {
    const { ask } = await serveLive(sre);
    const shown = async (id: string, token: string) =>
      (await ask('GET', `/projects/${id}`, undefined, as(token))).body.data.attributes;
    expect(await shown('prj-platform', 'owner')).toMatchObject({
      'team-count': 2,
      'workspace-count': 3,
      'stack-count': 0,
      permissions: { 'can-update': true, 'can-destroy': true, 'can-move-workspace': true },
    });
    expect((await shown('prj-stacked', 'owner'))['stack-count']).toBe(2);
    expect((await shown('prj-platform', 'sre')).permissions).toMatchObject({
      'can-read': true,
      'can-update': false,
      'can-destroy': false,
      'can-create-workspace': true,
      'can-move-workspace': false,
      'can-manage-teams': false,
    });
    expect((await shown('prj-lab', 'sre')).permissions).toMatchObject({
      'can-update': true,
      'can-destroy': true,
      'can-move-workspace': true,
      'can-manage-teams': true,
    });
    expect((await shown('prj-lab', 'reader')).permissions['can-update']).toBe(false);
  });

  it.each([
    ['create-workspace', ['Lab', 'Platform']],
    ['update', ['Lab']],
    ['move-stack', []],
  ])('filter[permissions][%s] returns the projects for which the caller has it', async (name, names) => {
    const { ask } = await serveLive(sre);
    const list = `${acme}/projects?sort=name&filter[permissions][${name}]=true`;
    const { data } = (await ask('GET', list, undefined, as('sre'))).body;
    expect(data.map((one: { attributes: { name: string } }) => one.attributes.name)).toEqual(names);
  });

  it('a project with Stacks is not deleted', async () => {
    const { ask } = await serveLive();
    const { status, body: answer } = await ask('DELETE', '/projects/prj-stacked');
    expect([status, answer.errors[0].detail]).toEqual([422, expect.stringContaining('it has Stacks')]);
  });

  it('grants of secret teams are missing for project admins who may not see these teams', async () => {
    const { ask } = await serveLive({
      ...sre,
      'team-access': { Lab: { sre: 'admin', trusted: 'admin', hidden: 'read' } },
    });
    const seen = async (token: string) => {
      const list = await ask('GET', '/team-projects?filter[project][id]=prj-lab', undefined, as(token));
      return list.body.data.map(
        ({ relationships }: { relationships: { team: { data: { id: string } } } }) =>
          relationships.team.data.id,
      );
    };
    expect(await seen('owner')).toEqual(['team-sre', 'team-trusted', 'team-hidden']);
    expect(await seen('trusted')).toEqual(['team-sre', 'team-trusted', 'team-hidden']);
    expect(await seen('sre')).toEqual(['team-sre', 'team-trusted']);
    expect((await ask('GET', '/teams/team-hidden', undefined, as('sre'))).status).toBe(404);
    const grant = {
      data: {
        type: 'team-projects',
        attributes: { access: 'read' },
        relationships: {
          project: { data: { type: 'projects', id: 'prj-lab' } },
          team: { data: { type: 'teams', id: 'team-hidden' } },
        },
      },
    };
    expect((await ask('POST', '/team-projects', grant, as('sre'))).status).toBe(404);
  });
});
