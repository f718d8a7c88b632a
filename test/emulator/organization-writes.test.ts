import { describe, expect, it } from 'vitest';
import type { Seed } from '../../src/emulator/index.ts';
import { workspaceBody } from '../support/ask.ts';
import { serve } from './service.ts';

const acme = '/organizations/acme';
const seed: Seed = {
  projects: { Platform: 'prj-platform', Payments: 'prj-payments' },
  teams: { sre: 'team-sre' },
  'ssh-keys': { deploy: 'sshkey-1' },
  'agent-pools': { onprem: 'apool-1' },
  'vcs-connections': { github: { id: 'ot-1', client: 'oc-1' } },
  workspaces: {
    w: { id: 'ws-w', project: 'Payments', 'ssh-key': 'deploy', 'tag-bindings': { env: 'prod' } },
    pooled: { id: 'ws-pooled', 'execution-mode': 'agent', 'agent-pool-id': 'onprem' },
  },
  'team-access': { Payments: { sre: 'read' }, Platform: { sre: 'read' } },
};
const serveLive = (edition: 'hosted' | 'self-hosted' = 'hosted') =>
  serve({ seed, dialect: 'terraform', edition });

function body(
  type: string,
  attributes: Record<string, unknown>,
  relationships: Record<string, unknown> = {},
) {
  return { data: { type, attributes, relationships } };
}
const toMany = (type: string, ...ids: string[]) => ({ data: ids.map((id) => ({ id, type })) });
const bindings = (values: Record<string, string>) =>
  Object.entries(values).map(([key, value]) => ({ type: 'tag-bindings', attributes: { key, value } }));
const shown = (list: { attributes: { key: string; value: string }; links?: Record<string, string> }[]) =>
  list.map(
    ({ attributes: { key, value }, links }) => `${key}=${value}${links ? ` ${links['inherited-from']}` : ''}`,
  );

describe('organizations', () => {
  it('POST of an organization creates it with a default project and a team of owners', async () => {
    const { ask } = await serveLive();
    const { status, body: answer } = await ask(
      'POST',
      '/organizations',
      body('organizations', { name: 'shop', email: 'ops@acme.example' }),
    );
    expect([status, answer.data]).toMatchObject([
      201,
      {
        id: 'shop',
        attributes: { email: 'ops@acme.example', 'default-execution-mode': 'remote', 'plan-expired': false },
      },
    ]);
    const projects = (await ask('GET', '/organizations/shop/projects')).body.data;
    expect(projects.map(({ id }: { id: string }) => id)).toEqual([
      answer.data.relationships['default-project'].data.id,
    ]);
    expect((await ask('GET', '/organizations/shop/teams')).body.data[0].attributes.name).toBe('owners');
    expect(
      (await ask('POST', '/organizations', body('organizations', { name: 'Shop', email: 'x@acme.example' })))
        .body.errors[0].detail,
    ).toBe('Name has already been taken');
    expect((await ask('POST', '/organizations', body('organizations', { name: 'web' }))).status).toBe(422);
  });

  it('PATCH of an organization stores settings, and a new name keeps everything in it', async () => {
    const { ask } = await serveLive();
    const settings = {
      'session-timeout': 3600,
      'cost-estimation-enabled': true,
      'default-execution-mode': 'local',
    };
    expect((await ask('PATCH', acme, body('organizations', settings))).body.data.attributes).toMatchObject(
      settings,
    );
    const renamed = (await ask('PATCH', acme, body('organizations', { name: 'web' }))).body.data;
    expect(renamed).toMatchObject({ id: 'web', attributes: { ...settings, 'external-id': 'org-acme' } });
    expect((await ask('GET', acme)).status).toBe(404);
    expect((await ask('GET', '/organizations/web/workspaces/w')).body.data).toMatchObject({
      id: 'ws-w',
      attributes: { 'execution-mode': 'local' },
    });
    expect((await ask('GET', '/team-projects?filter[project][id]=prj-payments')).body.data).toHaveLength(1);
  });

  it('a default agent pool needs the agent mode, and the agent mode a pool', async () => {
    const { ask } = await serveLive();
    const pool = { 'default-agent-pool': { data: { type: 'agent-pools', id: 'apool-1' } } };
    expect((await ask('PATCH', acme, body('organizations', {}, pool))).status).toBe(422);
    expect(
      (await ask('PUT', acme, body('organizations', { 'default-execution-mode': 'agent' }))).status,
    ).toBe(422);
    const both = await ask('PUT', acme, body('organizations', { 'default-execution-mode': 'agent' }, pool));
    expect(both.body.data.relationships['default-agent-pool'].data.id).toBe('apool-1');
  });

  it('DELETE of an organization removes it and everything in it', async () => {
    const { ask } = await serveLive();
    expect((await ask('DELETE', acme)).status).toBe(204);
    for (const path of [
      acme,
      '/workspaces/ws-w',
      '/projects/prj-payments',
      '/teams/team-sre',
      '/ssh-keys/sshkey-1',
    ])
      expect((await ask('GET', path)).status).toBe(404);
  });

  it("the organization's data retention policy is written, read and removed on the self-hosted edition", async () => {
    const path = `${acme}/relationships/data-retention-policy`;
    const policy = body('data-retention-policy-delete-olders', { 'delete-older-than-n-days': 30 });
    const { ask } = await serveLive('self-hosted');
    expect((await ask('GET', path)).status).toBe(404);
    expect((await ask('POST', path, policy)).body.data.relationships.target.data).toEqual({
      id: 'acme',
      type: 'organizations',
    });
    expect((await ask('PATCH', path, body('data-retention-policy-dont-deletes', {}))).status).toBe(200);
    expect((await ask('GET', acme)).body.data.relationships['data-retention-policy'].data.type).toBe(
      'data-retention-policy-dont-deletes',
    );
    expect((await ask('DELETE', path)).status).toBe(204);
    expect((await ask('GET', path)).status).toBe(404);
    const hosted = await serveLive();
    expect((await hosted.ask('POST', path, policy)).status).toBe(404);
  });

  it('only owners write what workspaces and grants refer to', async () => {
    const tokens = { admin: { role: 'manage-workspaces' }, owner: { role: 'owner' } } as const;
    const { ask } = await serve({ seed: { ...seed, tokens }, dialect: 'terraform' });
    const requests = [
      ['PATCH', acme, body('organizations', {})],
      ['POST', `${acme}/projects`, body('projects', { name: 'Shop' })],
      ['POST', `${acme}/teams`, body('teams', { name: 'dev' })],
      ['POST', `${acme}/ssh-keys`, body('ssh-keys', { name: 'k', value: 'v' })],
      ['POST', `${acme}/agent-pools`, body('agent-pools', { name: 'p' })],
      ['DELETE', '/oauth-clients/oc-1', undefined],
    ] as const;
    for (const [method, path, document] of requests) {
      expect((await ask(method, path, document, { authorization: 'Bearer admin' })).status).toBe(404);
      expect((await ask(method, path, document, { authorization: 'Bearer owner' })).status).toBeLessThan(300);
    }
    const created = body('organizations', { name: 'shop', email: 'x@acme.example' });
    expect((await ask('POST', '/organizations', created, { authorization: 'Bearer owner' })).status).toBe(
      404,
    );
  });
});

describe('projects', () => {
  it('POST creates a project, PATCH changes it, and names are unique regardless of letter case', async () => {
    const { ask } = await serveLive();
    const { status, body: answer } = await ask(
      'POST',
      `${acme}/projects`,
      body('projects', { name: 'Web Shop', description: 'd' }),
    );
    expect([status, answer.data.attributes]).toMatchObject([
      201,
      { name: 'Web Shop', description: 'd', 'workspace-count': 0 },
    ]);
    const path = `/projects/${answer.data.id}`;
    const changed = await ask(
      'PATCH',
      path,
      body('projects', { name: 'Shop', 'auto-destroy-activity-duration': '14d' }),
    );
    expect(changed.body.data.attributes).toMatchObject({
      name: 'Shop',
      description: 'd',
      'auto-destroy-activity-duration': '14d',
    });
    for (const attributes of [
      { name: 'payments' },
      { name: '! / no' },
      { name: '' },
      { 'auto-destroy-activity-duration': '20m' },
    ])
      expect((await ask('PATCH', path, body('projects', attributes))).status).toBe(422);
  });

  it("workspaces inherit the project's execution mode before the organization's", async () => {
    const { ask } = await serveLive();
    await ask('PATCH', '/projects/prj-payments', body('projects', { 'default-execution-mode': 'local' }));
    expect((await ask('GET', '/workspaces/ws-w')).body.data.attributes['execution-mode']).toBe('local');
    const flags = { 'setting-overwrites': { 'default-execution-mode': false, 'default-agent-pool': false } };
    await ask('PATCH', '/projects/prj-payments', body('projects', flags));
    expect((await ask('GET', '/workspaces/ws-w')).body.data.attributes['execution-mode']).toBe('remote');
  });

  it('DELETE of a project refuses one with workspaces and the default one, and removes the grants of another', async () => {
    const { ask } = await serveLive();
    expect((await ask('DELETE', '/projects/prj-payments')).status).toBe(422);
    const organization = (await ask('GET', acme)).body.data;
    expect(
      (await ask('DELETE', `/projects/${organization.relationships['default-project'].data.id}`)).status,
    ).toBe(403);
    const [grant] = (await ask('GET', '/team-projects?filter[project][id]=prj-platform')).body.data;
    expect((await ask('DELETE', '/projects/prj-platform')).status).toBe(204);
    expect((await ask('GET', `/team-projects/${grant.id}`)).status).toBe(404);
  });

  it('bindings of a project are added, replaced and listed, and its workspaces inherit them', async () => {
    const { ask } = await serveLive();
    const path = '/projects/prj-payments';
    expect(
      (await ask('PATCH', `${path}/tag-bindings`, { data: bindings({ env: 'dev', team: 'web' }) })).status,
    ).toBe(200);
    expect(
      (await ask('POST', `${path}/relationships/tag-bindings`, { data: bindings({ cost: '1' }) })).status,
    ).toBe(204);
    for (const list of [
      `${path}/tag-bindings`,
      `${path}/relationships/tag-bindings`,
      `${path}/effective-tag-bindings`,
    ])
      expect(shown((await ask('GET', list)).body.data)).toEqual(['env=dev', 'team=web', 'cost=1']);
    expect(shown((await ask('GET', '/workspaces/ws-w/effective-tag-bindings')).body.data)).toEqual([
      'env=prod',
      'team=web /api/v2/projects/prj-payments',
      'cost=1 /api/v2/projects/prj-payments',
    ]);
    expect(shown((await ask('GET', '/workspaces/ws-w/tag-bindings')).body.data)).toEqual(['env=prod']);
    const tagged = await ask(
      'GET',
      `${acme}/workspaces?filter[tagged][0][key]=team&filter[tagged][0][value]=`,
    );
    expect(tagged.body.data).toMatchObject([{ id: 'ws-w' }]);
    await ask('PATCH', `${path}/relationships/tag-bindings`, { data: [] });
    expect((await ask('GET', `${path}/tag-bindings`)).body.data).toEqual([]);
  });

  it('a reserved key that may not be overridden is refused on workspaces whose project has it', async () => {
    const { ask } = await serve({
      dialect: 'terraform',
      seed: {
        projects: {
          Payments: { id: 'prj-payments', 'tag-bindings': { env: 'prod', team: 'web' } },
          Spare: { id: 'prj-spare' },
        },
        settings: { 'reserved-tag-keys': ['env'] },
        workspaces: { w: { id: 'ws-w', project: 'Payments' }, s: { id: 'ws-s', project: 'Spare' } },
      },
    });
    const refusal = {
      title: 'invalid attribute',
      detail: 'the key env is reserved and cannot override the value that is inherited from the project',
      source: { pointer: '/data/relationships/tag-bindings' },
    };
    const document = (given: Record<string, string>, name?: string) => ({
      data: {
        type: 'workspaces',
        attributes: { ...(name && { name }) },
        relationships: {
          'tag-bindings': { data: bindings(given) },
          ...(name && { project: { data: { type: 'projects', id: 'prj-payments' } } }),
        },
      },
    });
    const refused = [
      await ask('PATCH', '/workspaces/ws-w', document({ env: 'dev' })),
      await ask('PATCH', '/workspaces/ws-w/tag-bindings', { data: bindings({ env: 'dev' }) }),
      await ask('POST', `${acme}/workspaces`, document({ env: 'dev' }, 'new')),
    ];
    for (const { status, body } of refused) expect([status, body.errors[0]]).toMatchObject([422, refusal]);
    expect((await ask('PATCH', '/workspaces/ws-w', document({ team: 'api' }))).status).toBe(200);

    // In another project nothing is overridden, until the workspace moves.
    expect((await ask('PATCH', '/workspaces/ws-s', document({ env: 'dev' }))).status).toBe(200);
    const move = {
      data: {
        type: 'workspaces',
        relationships: { project: { data: { type: 'projects', id: 'prj-payments' } } },
      },
    };
    expect((await ask('PATCH', '/workspaces/ws-s', move)).body.errors[0]).toMatchObject(refusal);
  });

  it('keys with a reserved prefix are refused on workspaces and projects', async () => {
    const { ask } = await serveLive();
    for (const key of ['hc:a', 'hcp:a', 'ibm:a'])
      for (const path of ['/projects/prj-payments/tag-bindings', '/workspaces/ws-w/tag-bindings']) {
        const { status, body } = await ask('PATCH', path, { data: bindings({ [key]: 'x' }) });
        expect([status, body.errors[0].detail]).toEqual([422, `the prefix of the key ${key} is reserved`]);
      }
  });

  it.each([
    '/workspaces/ws-w',
    '/organizations/acme/workspaces/w',
    '/organizations/acme/workspaces',
    '/projects/prj-payments',
    '/organizations/acme/projects',
  ])('include=effective_tag_bindings on %s names the included bindings in a relationship', async (path) => {
    const { ask } = await serveLive();
    await ask('PATCH', '/projects/prj-payments/tag-bindings', { data: bindings({ team: 'web' }) });
    const { body: answer } = await ask('GET', `${path}?include=effective_tag_bindings`);
    const data = [answer.data].flat().find(({ id }: { id: string }) => ['ws-w', 'prj-payments'].includes(id));
    const related = data.relationships['effective-tag-bindings'].data;
    expect(related).toHaveLength(data.type === 'workspaces' ? 2 : 1);
    const included = answer.included.map(({ id, type }: { id: string; type: string }) => ({ id, type }));
    for (const identifier of related) expect(included).toContainEqual(identifier);
    const without = [(await ask('GET', path)).body.data].flat()[0];
    expect(without.relationships['effective-tag-bindings'].data).toBeUndefined();
  });
});

it('projects of the terraform dialect are listed newest first, and by their key/value tags', async () => {
  const { ask } = await serveLive();
  const tagged = (name: string, values: Record<string, string>) => ({
    data: {
      type: 'projects',
      attributes: { name },
      relationships: { 'tag-bindings': { data: bindings(values) } },
    },
  });
  await ask('POST', `${acme}/projects`, tagged('First', { key1: 'a', key2: 'a' }));
  await ask('POST', `${acme}/projects`, tagged('Second', { key2: 'b', key3: 'a' }));
  const names = async (query: string) =>
    (await ask('GET', `${acme}/projects${query}`)).body.data.map(
      ({ attributes }: { attributes: { name: string } }) => attributes.name,
    );
  expect((await names('')).slice(0, 2)).toEqual(['Second', 'First']);
  expect(await names('?filter[tagged][0][key]=key1')).toEqual(['First']);
  expect(await names('?filter[tagged][0][key]=key2&sort=name')).toEqual(['First', 'Second']);
  expect(await names('?filter[tagged][0][key]=key2&filter[tagged][0][value]=b')).toEqual(['Second']);
  expect(await names('?filter[tagged][0][key]=key1&filter[tagged][1][key]=key3')).toEqual([]);
});

it('tags of the terraform dialect are added to workspaces and removed from the organization', async () => {
  const { ask } = await serve({
    dialect: 'terraform',
    seed: {
      tokens: { owner: { role: 'owner' }, reader: { role: 'reader' } },
      workspaces: {
        a: { id: 'ws-a', tags: ['eu', 'prod'] },
        b: { id: 'ws-b', tags: ['eu'] },
        c: { id: 'ws-c' },
      },
    },
  });
  const by = (token: string) => ({ authorization: `Bearer ${token}` });
  const tags = (await ask('GET', `${acme}/tags`, undefined, by('owner'))).body.data;
  const id = (name: string) =>
    tags.find(({ attributes }: { attributes: { name: string } }) => attributes.name === name).id;
  const adds = (...ids: string[]) => ({ data: ids.map((one) => ({ type: 'workspaces', id: one })) });
  const add = (token: string, ...ids: string[]) =>
    ask('POST', `/tags/${id('prod')}/relationships/workspaces`, adds(...ids), by(token));
  const namesOf = async (workspace: string) =>
    (await ask('GET', `/workspaces/${workspace}`, undefined, by('owner'))).body.data.attributes['tag-names'];
  expect((await add('reader', 'ws-b')).status).toBe(404);
  expect((await add('owner', 'ws-b', 'ws-none')).status).toBe(404);
  expect(await namesOf('ws-b')).toEqual(['eu']);
  expect((await add('owner', 'ws-a', 'ws-b', 'ws-c')).status).toBe(204);
  expect([await namesOf('ws-a'), await namesOf('ws-b'), await namesOf('ws-c')]).toEqual([
    ['eu', 'prod'],
    ['eu', 'prod'],
    ['prod'],
  ]);
  const gone = { data: [{ type: 'tags', id: id('eu') }] };
  expect((await ask('DELETE', `${acme}/tags`, gone, by('reader'))).status).toBe(404);
  expect((await ask('DELETE', `${acme}/tags`, gone, by('owner'))).status).toBe(204);
  expect(await namesOf('ws-a')).toEqual(['prod']);
  expect((await ask('GET', `${acme}/tags`, undefined, by('owner'))).body.data).toHaveLength(1);
});

it('ids of the emulator have the alphabet that official clients accept', async () => {
  const { ask } = await serveLive();
  for (const name of ['one', 'two', 'three', 'four', 'five']) {
    const { body: answer } = await ask('POST', `${acme}/workspaces`, body('workspaces', { name }));
    expect(answer.data.id).toMatch(/^ws-[1-9A-HJ-NP-Za-km-z]{16}$/);
  }
});

it('POST creates a team, PATCH changes its access to the organization, DELETE removes it and its grants', async () => {
  const { ask } = await serveLive();
  const created = await ask(
    'POST',
    `${acme}/teams`,
    body('teams', { name: 'shop/dev', 'organization-access': { 'manage-projects': true } }),
  );
  expect([created.status, created.body.data.attributes]).toMatchObject([
    200,
    { visibility: 'secret', 'organization-access': { 'manage-projects': true, 'manage-teams': false } },
  ]);
  const changed = await ask(
    'PATCH',
    '/teams/team-sre',
    body('teams', { name: 'ops', visibility: 'organization' }),
  );
  expect(changed.body.data.attributes).toMatchObject({ name: 'ops', visibility: 'organization' });
  for (const attributes of [{ name: 'shop/dev' }, { name: '' }, { name: '! / nope' }, { visibility: 'all' }])
    expect((await ask('PATCH', '/teams/team-sre', body('teams', attributes))).status).toBe(422);
  expect((await ask('DELETE', '/teams/team-sre')).status).toBe(204);
  expect((await ask('GET', '/team-projects?filter[project][id]=prj-payments')).body.data).toEqual([]);
});

it('POST creates an SSH key and never returns it, PATCH renames it, DELETE removes it from its workspaces', async () => {
  const { ask } = await serveLive();
  const created = await ask('POST', `${acme}/ssh-keys`, body('ssh-keys', { name: 'ci', value: 'the key' }));
  expect([created.status, JSON.stringify(created.body)]).toEqual([
    201,
    expect.not.stringContaining('the key'),
  ]);
  expect((await ask('POST', `${acme}/ssh-keys`, body('ssh-keys', { name: 'ci' }))).status).toBe(422);
  expect(
    (await ask('PATCH', '/ssh-keys/sshkey-1', body('ssh-keys', { name: 'other' }))).body.data.attributes.name,
  ).toBe('other');
  expect((await ask('DELETE', '/ssh-keys/sshkey-1')).status).toBe(204);
  expect((await ask('GET', '/workspaces/ws-w')).body.data.relationships).not.toHaveProperty('ssh-key');
});

it('POST creates an agent pool, PATCH changes who may use it, DELETE refuses one in use', async () => {
  const { ask } = await serveLive();
  const created = await ask(
    'POST',
    `${acme}/agent-pools`,
    body(
      'agent-pools',
      { name: 'cloud', 'organization-scoped': false },
      { 'allowed-workspaces': toMany('workspaces', 'ws-w') },
    ),
  );
  expect([created.status, created.body.data]).toMatchObject([
    201,
    {
      attributes: { 'organization-scoped': false, 'agent-count': 0, 'created-at': expect.any(String) },
      relationships: { 'allowed-workspaces': toMany('workspaces', 'ws-w') },
    },
  ]);
  const path = `/agent-pools/${created.body.data.id}`;
  const changed = await ask(
    'PATCH',
    path,
    body('agent-pools', {}, { 'allowed-projects': toMany('projects', 'prj-payments') }),
  );
  expect(changed.body.data.relationships).toMatchObject({
    'allowed-workspaces': toMany('workspaces', 'ws-w'),
    'allowed-projects': toMany('projects', 'prj-payments'),
  });
  const allowed = async (name: string) =>
    (await ask('GET', `${acme}/agent-pools?filter[allowed_workspaces][name]=${name}`)).body.data.map(
      (pool: { attributes: { name: string } }) => pool.attributes.name,
    );
  expect([await allowed('w'), await allowed('pooled')]).toEqual([['onprem', 'cloud'], ['onprem']]);
  expect((await ask('PATCH', path, body('agent-pools', { name: 'onprem' }))).status).toBe(422);
  expect((await ask('DELETE', '/agent-pools/apool-1')).status).toBe(422);
  expect((await ask('DELETE', path)).status).toBe(204);
});

it('an OAuth client is created with a token, and both are updated and deleted', async () => {
  const { ask } = await serveLive();
  const attributes = {
    'service-provider': 'github',
    'http-url': 'https://github.com',
    'api-url': 'https://api.github.com',
  };
  const secret = { ...attributes, 'oauth-token-string': 'the token', secret: 'the secret' };
  const created = await ask('POST', `${acme}/oauth-clients`, body('oauth-clients', secret));
  expect([created.status, created.body.data.attributes]).toMatchObject([
    201,
    { ...attributes, name: null, secret: null },
  ]);
  expect(JSON.stringify(created.body)).not.toMatch(/the token|the secret/);
  const client = `/oauth-clients/${created.body.data.id}`;
  const token = `/oauth-tokens/${created.body.data.relationships['oauth-tokens'].data[0].id}`;
  expect(
    (await ask('PATCH', client, body('oauth-clients', { name: 'acme' }))).body.data.attributes.name,
  ).toBe('acme');
  await ask('POST', `${client}/relationships/projects`, toMany('projects', 'prj-payments', 'prj-platform'));
  await ask('DELETE', `${client}/relationships/projects`, toMany('projects', 'prj-platform'));
  const read = await ask('GET', `${client}?include=projects,oauth_tokens`);
  expect(read.body.data.relationships.projects).toEqual(toMany('projects', 'prj-payments'));
  expect(read.body.included.map(({ type }: { type: string }) => type)).toEqual(['oauth-tokens', 'projects']);
  expect((await ask('PATCH', token, body('oauth-tokens', { 'ssh-key': 'no key' }))).status).toBe(422);
  const key = '-----BEGIN RSA PRIVATE KEY-----\nx\n-----END RSA PRIVATE KEY-----';
  expect(
    (await ask('PATCH', token, body('oauth-tokens', { 'ssh-key': key }))).body.data.attributes['has-ssh-key'],
  ).toBe(true);
  expect((await ask('DELETE', token)).status).toBe(204);
  expect([(await ask('GET', token)).status, (await ask('GET', `${client}/oauth-tokens`)).body.data]).toEqual([
    404,
    [],
  ]);
  expect((await ask('DELETE', client)).status).toBe(204);
  expect((await ask('GET', client)).status).toBe(404);
  expect((await ask('POST', `${acme}/oauth-clients`, body('oauth-clients', {}))).status).toBe(422);
});

it('a workspace can be created in a project that was created before', async () => {
  const { ask } = await serveLive();
  const project = (await ask('POST', `${acme}/projects`, body('projects', { name: 'Shop' }))).body.data.id;
  const created = await ask('POST', `${acme}/workspaces`, workspaceBody({ name: 'shop' }, project));
  expect(created.body.data.relationships.project.data.id).toBe(project);
});
