import { describe, expect, it } from 'vitest';
import type { Seed } from '../../src/emulator/index.ts';
import { workspaceBody } from '../support/ask.ts';
import { serviceWith } from '../support/attune.ts';
import { rowsIn } from '../support/rows.ts';
import { serve } from './service.ts';

const list = '/organizations/acme/workspaces';

const serveLive = (seed: Seed = {}) => serve({ seed, dialect: 'terraform' });

const seed: Seed = {
  projects: { Platform: 'prj-platform', 'Payments Platform': 'prj-payments' },
  teams: { sre: 'team-sre', developers: 'team-dev' },
  'ssh-keys': { deploy: 'sshkey-1' },
  'agent-pools': { onprem: 'apool-1', cloud: 'apool-2' },
  'vcs-connections': { github: { id: 'ot-1', client: 'oc-1', provider: 'github' } },
  workspaces: { w: { id: 'ws-w', tags: ['prod'] }, other: { id: 'ws-other' } },
};

describe('names on the wire', () => {
  it('the terraform dialect uses terraform-version, sentinel-mocks and github-app-installation-id on the wire', async () => {
    const { ask } = await serveLive(seed);
    const sent = {
      'terraform-version': '~> 1.9.0',
      'vcs-repo': { identifier: 'acme/w', 'github-app-installation-id': 'ghain-1' },
    };
    const { attributes } = (await ask('PATCH', '/workspaces/ws-w', workspaceBody(sent))).body.data;
    expect(attributes).toMatchObject(sent);
    expect(attributes).not.toHaveProperty('iac-version');
    const grant = {
      data: {
        type: 'team-projects',
        attributes: { access: 'custom', 'workspace-access': { 'sentinel-mocks': 'read' } },
        relationships: {
          project: { data: { type: 'projects', id: 'prj-platform' } },
          team: { data: { type: 'teams', id: 'team-sre' } },
        },
      },
    };
    const created = (await ask('POST', '/team-projects', grant)).body.data;
    expect(created.attributes['workspace-access']['sentinel-mocks']).toBe('read');
  });

  it('the terraform dialect accepts keys with underscores too', async () => {
    const { ask } = await serveLive(seed);
    const { body } = await ask('PATCH', '/workspaces/ws-w', workspaceBody({ terraform_version: '1.9.0' }));
    expect(body.data.attributes['terraform-version']).toBe('1.9.0');
  });

  it('the terraform dialect leaves out ssh-key and locked-by if they are unset', async () => {
    const { ask } = await serveLive(seed);
    const { relationships } = (await ask('GET', '/workspaces/ws-w')).body.data;
    expect(relationships).not.toHaveProperty('ssh-key');
    expect(relationships).not.toHaveProperty('locked-by');
  });
});

describe('rules of the live service', () => {
  it.each(['POST', 'PATCH', 'DELETE'])(
    '%s without the JSON:API content type is 415 in the terraform dialect, and a GET is not',
    async (method) => {
      const { ask } = await serveLive(seed);
      const plain = { 'content-type': 'application/json' };
      expect(
        (
          await ask(
            method,
            method === 'POST' ? '/workspaces/ws-w/actions/lock' : '/workspaces/ws-w',
            undefined,
            plain,
          )
        ).status,
      ).toBe(415);
      expect((await ask('GET', '/workspaces/ws-w', undefined, plain)).status).toBe(200);
    },
  );

  it('tags are stored in lower case without a message in the terraform dialect', async () => {
    const { ask } = await serveLive(seed);
    const tags = { data: [{ type: 'tags', attributes: { name: 'EU-West' } }] };
    expect((await ask('POST', '/workspaces/ws-w/relationships/tags', tags)).status).toBe(204);
    expect((await ask('GET', '/workspaces/ws-w')).body.data.attributes['tag-names']).toEqual([
      'prod',
      'eu-west',
    ]);
    const wrong = { data: [{ type: 'tags', attributes: { name: 'a b' } }] };
    expect((await ask('POST', '/workspaces/ws-w/relationships/tags', wrong)).status).toBe(422);
  });

  it('a create accepts flat tags and key/value tags, and a PATCH replaces the key/value tags', async () => {
    const { ask } = await serveLive(seed);
    const body = {
      data: {
        type: 'workspaces',
        attributes: { name: 'new' },
        relationships: {
          tags: { data: [{ type: 'tags', attributes: { name: 'prod' } }] },
          'tag-bindings': { data: [{ type: 'tag-bindings', attributes: { key: 'env', value: 'prod' } }] },
        },
      },
    };
    const { data } = (await ask('POST', list, body)).body;
    expect(data.attributes['tag-names']).toEqual(['prod']);
    const pairs = async () => {
      const { body: shown } = await ask('GET', `/workspaces/${data.id}/tag-bindings`);
      return shown.data.map(
        ({ attributes }: { attributes: { key: string; value: string } }) =>
          `${attributes.key}=${attributes.value}`,
      );
    };
    expect(await pairs()).toEqual(['env=prod']);
    const upsert = { data: [{ type: 'tag-bindings', attributes: { key: 'team' } }] };
    await ask('PATCH', `/workspaces/${data.id}/tag-bindings`, upsert);
    expect(await pairs()).toEqual(['env=prod', 'team=']);
    expect((await ask('GET', `${list}?filter[tagged][0][key]=env`)).body.meta.pagination['total-count']).toBe(
      1,
    );
    expect(
      (await ask('GET', `${list}?filter[tagged][0][key]=prod`)).body.meta.pagination['total-count'],
    ).toBe(0);
    const replace = { data: { type: 'workspaces', relationships: { 'tag-bindings': { data: [] } } } };
    await ask('PATCH', `/workspaces/${data.id}`, replace);
    expect(await pairs()).toEqual([]);
  });

  it('trigger prefixes and patterns empty each other, and both at once are 422', async () => {
    const { ask } = await serveLive(seed);
    await ask('PATCH', '/workspaces/ws-w', workspaceBody({ 'trigger-prefixes': ['a'] }));
    const { body } = await ask('PATCH', '/workspaces/ws-w', workspaceBody({ 'trigger-patterns': ['b/*'] }));
    expect(body.data.attributes).toMatchObject({ 'trigger-prefixes': [], 'trigger-patterns': ['b/*'] });
    const both = workspaceBody({ 'trigger-prefixes': ['a'], 'trigger-patterns': ['b'] });
    expect((await ask('PATCH', '/workspaces/ws-w', both)).status).toBe(422);
  });

  it.each([
    ['trigger-patterns', 'trigger-prefixes'],
    ['trigger-prefixes', 'trigger-patterns'],
  ] as const)('a PATCH with stored %s and an empty %s empties both', async (stored, sent) => {
    const { ask } = await serveLive(seed);
    await ask('PATCH', '/workspaces/ws-w', workspaceBody({ [stored]: ['a'] }));
    const { status, body } = await ask(
      'PATCH',
      '/workspaces/ws-w',
      workspaceBody({ [sent]: [], 'file-triggers-enabled': false }),
    );
    expect([status, body.data.attributes]).toMatchObject([200, { [stored]: [], [sent]: [] }]);
  });

  it('trigger patterns need file triggers, and Git tags exclude them', async () => {
    const { ask } = await serveLive(seed);
    const patterns = workspaceBody({ 'trigger-patterns': ['b'], 'file-triggers-enabled': false });
    const refused = await ask('PATCH', '/workspaces/ws-w', patterns);
    expect([refused.status, refused.body.errors[0].detail]).toEqual([
      422,
      expect.stringContaining("'file_triggers_enabled' is set to false"),
    ]);
    const repository = { identifier: 'acme/w', 'oauth-token-id': 'ot-1', 'tags-regex': '^v' };
    expect((await ask('PATCH', '/workspaces/ws-w', workspaceBody({ 'vcs-repo': repository }))).status).toBe(
      422,
    );
    const consistent = workspaceBody({ 'vcs-repo': repository, 'file-triggers-enabled': false });
    expect((await ask('PATCH', '/workspaces/ws-w', consistent)).status).toBe(200);
  });

  it('both flags of setting-overwrites must be equal', async () => {
    const { ask } = await serveLive(seed);
    const sent = workspaceBody({
      'execution-mode': 'local',
      'setting-overwrites': { 'execution-mode': true, 'agent-pool': false },
    });
    const { status, body } = await ask('PATCH', '/workspaces/ws-w', sent);
    expect([status, body.errors[0].detail]).toEqual([
      422,
      expect.stringContaining('their values must be the same'),
    ]);
  });

  it('a create with an unknown project is 422 in the terraform dialect', async () => {
    const { ask } = await serveLive(seed);
    const { status, body } = await ask('POST', list, workspaceBody({ name: 'new' }, 'prj-none'));
    expect([status, body.errors[0].detail]).toEqual([
      422,
      'Project not found, or you are not authorized to use it.',
    ]);
  });

  it('null empties a list and leaves a flag unchanged in the terraform dialect', async () => {
    const { ask } = await serveLive(seed);
    await ask('PATCH', '/workspaces/ws-w', workspaceBody({ 'trigger-prefixes': ['a'], 'auto-apply': true }));
    const { body } = await ask(
      'PATCH',
      '/workspaces/ws-w',
      workspaceBody({ 'trigger-prefixes': null, 'auto-apply': null }),
    );
    expect(body.data.attributes).toMatchObject({ 'trigger-prefixes': [], 'auto-apply': true });
  });

  it('clearing the activity duration clears the moment of the destroy run', async () => {
    const { ask } = await serveLive(seed);
    const both = { 'auto-destroy-activity-duration': '3d', 'auto-destroy-at': '2030-01-01T00:00:00Z' };
    expect((await ask('PATCH', '/workspaces/ws-w', workspaceBody(both))).body.data.attributes).toMatchObject({
      ...both,
      'inherits-project-auto-destroy': false,
    });
    const { body } = await ask(
      'PATCH',
      '/workspaces/ws-w',
      workspaceBody({ 'auto-destroy-activity-duration': null }),
    );
    expect(body.data.attributes['auto-destroy-at']).toBeNull();
  });

  describe('a destroy schedule on the terraform dialect', () => {
    const [at, after] = ['auto-destroy-at', 'auto-destroy-activity-duration'] as const;
    const inherits = 'inherits-project-auto-destroy';
    const seeded = {
      projects: { Shop: { id: 'prj-shop', [after]: '3d' }, Lab: { id: 'prj-lab', [after]: '1d' } },
      workspaces: {
        w: { id: 'ws-w', project: 'Shop' },
        own: { id: 'ws-own', project: 'Shop', [after]: '14d' },
      },
    } as const;
    const patch = async (
      { ask }: Awaited<ReturnType<typeof serveLive>>,
      id: string,
      attributes: Record<string, unknown>,
      project?: string,
    ) => (await ask('PATCH', `/workspaces/${id}`, workspaceBody(attributes, project))).body.data.attributes;

    it('a workspace without its own schedule shows and inherits that of its project, also after a move', async () => {
      const service = await serveLive(seeded);
      const shown = (await service.ask('GET', '/workspaces/ws-w')).body.data.attributes;
      expect(shown).toMatchObject({ [after]: '3d', [at]: null, [inherits]: true });
      const moved = await patch(service, 'ws-w', {}, 'prj-lab');
      expect(moved).toMatchObject({ [after]: '1d', [inherits]: true });
      expect(await patch(service, 'ws-own', {}, 'prj-lab')).toMatchObject({
        [after]: '14d',
        [inherits]: false,
      });
    });

    it.each(rowsIn<[Record<string, unknown>, Record<string, unknown>]>`
- [{auto-destroy-at: 2100-01-01T00:00:00Z}, {auto-destroy-at: 2100-01-01T00:00:00Z, auto-destroy-activity-duration: null, inherits-project-auto-destroy: false}]
- [{auto-destroy-at: null}, {auto-destroy-at: null, auto-destroy-activity-duration: 14d, inherits-project-auto-destroy: false}]
- [{auto-destroy-activity-duration: null}, {auto-destroy-at: null, auto-destroy-activity-duration: 3d, inherits-project-auto-destroy: true}]
- [{auto-destroy-activity-duration: null, inherits-project-auto-destroy: false}, {auto-destroy-at: null, auto-destroy-activity-duration: null, inherits-project-auto-destroy: false}]
- [{inherits-project-auto-destroy: true}, {auto-destroy-at: null, auto-destroy-activity-duration: 3d, inherits-project-auto-destroy: true}]
- [{auto-destroy-activity-duration: 3d, inherits-project-auto-destroy: true}, {auto-destroy-activity-duration: 3d, inherits-project-auto-destroy: true}]
- [{auto-destroy-activity-duration: 3d}, {auto-destroy-activity-duration: 3d, inherits-project-auto-destroy: false}]
- [{description: x}, {auto-destroy-activity-duration: 14d, inherits-project-auto-destroy: false}]
`)('a PATCH of %j on a workspace with a duration of 14d leads to %j', async (sent, expected) => {
      expect(await patch(await serveLive(seeded), 'ws-own', sent)).toMatchObject(expected);
    });

    it('a workspace that does not inherit keeps that until its schedule is written', async () => {
      const service = await serveLive(seeded);
      await patch(service, 'ws-w', { [inherits]: false });
      expect(await patch(service, 'ws-w', { description: 'x' })).toMatchObject({
        [after]: null,
        [inherits]: false,
      });
      expect(await patch(service, 'ws-w', { [after]: null })).toMatchObject({
        [after]: '3d',
        [inherits]: true,
      });
    });

    it('a workspace that inherits refuses a duration that its project does not have', async () => {
      const { ask } = await serveLive(seeded);
      const sent = workspaceBody({ [after]: '5d', [inherits]: true });
      const { status, body } = await ask('PATCH', '/workspaces/ws-w', sent);
      expect([status, body.errors[0]]).toMatchObject([
        422,
        {
          detail: expect.stringContaining('must match project auto destroy duration'),
          source: { pointer: `/data/attributes/${after}` },
        },
      ]);
      const wrong = await ask('PATCH', '/workspaces/ws-w', workspaceBody({ [inherits]: 'no' }));
      expect([wrong.status, wrong.body.errors[0].detail]).toEqual([422, 'must be true or false']);
    });
  });

  it.each([
    ['locked', { locked: true }, 'locked'],
    ['processing', { state: { processing: true } }, 'being processed'],
    ['resources', { 'resource-count': 2 }, 'still managing resources'],
  ])('a safe delete is 409 while %s, with its own text', async (_title, content, text) => {
    const { ask } = await serveLive({ workspaces: { w: content } });
    const { status, body } = await ask('POST', `${list}/w/actions/safe-delete`);
    expect([status, body.errors[0].detail]).toEqual([409, expect.stringContaining(text)]);
  });

  it('data retention exists on the self-hosted edition only, PATCH included', async () => {
    const policy = {
      data: { type: 'data-retention-policy-delete-olders', attributes: { deleteOlderThanNDays: 33 } },
    };
    const path = '/workspaces/ws-w/relationships/data-retention-policy';
    const hosted = await serveLive(seed);
    expect((await hosted.ask('POST', path, policy)).status).toBe(404);
    const { ask } = await serve({ seed, dialect: 'terraform', edition: 'self-hosted' });
    expect((await ask('PATCH', path, policy)).body.data.attributes).toEqual({
      'delete-older-than-n-days': 33,
    });
  });

  it('global-remote-state defaults to true on self-hosted deployments, to false on the hosted one', async () => {
    const byDefault = async (edition: 'hosted' | 'self-hosted') => {
      const { ask } = await serve({ dialect: 'terraform', edition });
      return (await ask('POST', list, workspaceBody({ name: 'w' }))).body.data.attributes[
        'global-remote-state'
      ];
    };
    expect([await byDefault('hosted'), await byDefault('self-hosted')]).toEqual([false, true]);
  });
});

describe('what clients ask before anything else', () => {
  it('every answer of the terraform dialect carries the TFP headers', async () => {
    const { ask } = await serveLive(seed);
    for (const path of ['/ping', '/workspaces/ws-w', '/nothing']) {
      const { headers } = await ask('GET', path);
      expect(headers.get('tfp-api-version')).toMatch(/^\d+\.\d+$/);
      expect(headers.get('tfp-appname')).toBe('HCP Terraform');
    }
    const { ask: other } = await serve({ dialect: 'terraform', edition: 'self-hosted' });
    expect((await other('GET', '/ping')).headers.get('tfp-appname')).toBe('Terraform Enterprise');
  });

  it('ping is 204 and needs no token', async () => {
    const { ask } = await serveLive({ tokens: { secret: { role: 'owner' } } });
    expect((await ask('GET', '/ping')).status).toBe(204);
  });

  it('/.well-known/terraform.json has the path of the interface', async () => {
    const { ask } = await serveLive();
    expect((await ask('GET', '/.well-known/terraform.json')).body).toMatchObject({
      'tfe.v2': '/api/v2/',
      'tfe.v2.2': '/api/v2/',
    });
  });

  it('GET of an organization returns its defaults, and its entitlements are all true', async () => {
    const { ask } = await serveLive(seed);
    const { data } = (await ask('GET', '/organizations/acme')).body;
    expect(data).toMatchObject({
      id: 'acme',
      attributes: { 'default-execution-mode': 'remote', 'allow-force-delete-workspaces': false },
    });
    expect(data.relationships['default-project'].data.type).toBe('projects');
    const entitled = (await ask('GET', '/organizations/acme/entitlement-set')).body.data.attributes;
    expect(entitled).toMatchObject({ agents: true, infragraph: true, 'waypoint-templates-and-addons': true });
    expect((await ask('GET', '/organizations/none')).status).toBe(404);
  });
});

describe.each(['iac', 'terraform'] as const)('look-ups by name in the %s dialect', (dialect) => {
  it.each([
    ['projects', 'filter[names]=payments%20platform', ['prj-payments']],
    ['projects', 'q=plat&sort=name', ['prj-payments', 'prj-platform']],
    ['teams', 'filter[names]=sre,developers', ['team-sre', 'team-dev']],
    ['teams', 'q=dev', ['team-dev']],
    ['ssh-keys', '', ['sshkey-1']],
    ['agent-pools', 'q=prem', ['apool-1']],
    ['oauth-clients', '', ['oc-1']],
    ['oauth-tokens', '', ['ot-1']],
  ])(`the look-up %s?%s in the ${dialect} dialect returns the matching entries`, async (kind, query, ids) => {
    const { ask } = await serve({ seed, dialect });
    const { status, body } = await ask('GET', `/organizations/acme/${kind}?${query}`);
    expect([status, body.data.map((item: { id: string }) => item.id)]).toEqual([200, ids]);
    expect(body.meta.pagination['total-count']).toBe(ids.length);
    for (const item of body.data) {
      expect((await ask('GET', `/${kind}/${item.id}`)).body.data).toEqual(item);
    }
    expect((await ask('GET', `/${kind}/none`)).status).toBe(404);
  });

  it('GET of the account returns the user of the token, and teams return their members', async () => {
    const { url } = await serviceWith({
      dialect,
      seed: {
        teams: { sre: { id: 'team-sre' } },
        tokens: {
          anna: { role: 'owner', teams: ['sre'], user: 'user-anna' },
          team: { role: 'reader', teams: ['sre'], kind: 'team', user: 'user-1' },
          all: { role: 'owner', kind: 'organization', user: 'user-2' },
        },
      },
    });
    type Answered = { relationships: Record<string, { data: unknown }> };
    const get = async (path: string, token: string) => {
      const answer = await fetch(`${url}/api/v2${path}`, { headers: { authorization: `Bearer ${token}` } });
      return ((await answer.json()) as { data: Answered }).data;
    };
    const holder = async (token: string) =>
      (await get('/account/details', token)).relationships['authenticated-resource']?.data;
    expect(await holder('anna')).toEqual({ type: 'users', id: 'user-anna' });
    expect(await holder('team')).toEqual({ type: 'teams', id: 'team-sre' });
    expect(await holder('all')).toEqual({ type: 'organizations', id: 'acme' });
    const team = await get('/teams/team-sre', 'anna');
    expect(team.relationships.users?.data).toEqual([{ type: 'users', id: 'user-anna' }]);
  });

  it('GET of an OAuth client leads to its token', async () => {
    const { ask } = await serve({ seed, dialect });
    const [client] = (await ask('GET', '/organizations/acme/oauth-clients')).body.data;
    expect(client.relationships['oauth-tokens'].data).toEqual([{ id: 'ot-1', type: 'oauth-tokens' }]);
    expect((await ask('GET', `/oauth-clients/${client.id}/oauth-tokens`)).body.data[0].id).toBe('ot-1');
  });
});

describe('bodies as the official clients send them', () => {
  it('the emulator accepts a create as the Terraform provider sends it', async () => {
    const { ask } = await serveLive(seed);
    const { status, body } = await ask('POST', list, {
      data: {
        type: 'workspaces',
        attributes: {
          name: 'made',
          'allow-destroy-plan': true,
          'assessments-enabled': false,
          'auto-apply': false,
          'auto-apply-run-trigger': false,
          description: '',
          'file-triggers-enabled': true,
          'queue-all-runs': true,
          'speculative-enabled': true,
          'structured-run-output-enabled': true,
          'trigger-prefixes': [],
          'working-directory': '',
          'vcs-repo': {
            identifier: 'acme/made',
            'oauth-token-id': 'ot-1',
            'github-app-installation-id': '',
            branch: '',
            'ingress-submodules': false,
            'tags-regex': '',
          },
        },
        relationships: { project: { data: { type: 'projects', id: 'prj-platform' } } },
      },
    });
    expect(status).toBe(201);
    expect(body.data.attributes['setting-overwrites']).toEqual({
      'execution-mode': false,
      'agent-pool': false,
    });
  });

  it('the emulator accepts settings as the Terraform provider sends them', async () => {
    const { ask } = await serveLive(seed);
    const on = {
      'execution-mode': 'agent',
      'agent-pool-id': 'apool-1',
      'setting-overwrites': { 'execution-mode': true, 'agent-pool': true },
    };
    expect(
      (await ask('PATCH', '/workspaces/ws-w', workspaceBody(on))).body.data.relationships['agent-pool'].data
        .id,
    ).toBe('apool-1');
    const off = {
      'agent-pool-id': '',
      'setting-overwrites': { 'execution-mode': false, 'agent-pool': false },
    };
    const { data } = (await ask('PATCH', '/workspaces/ws-w', workspaceBody(off))).body;
    expect([data.attributes['execution-mode'], data.relationships['agent-pool'].data]).toEqual([
      'remote',
      null,
    ]);
  });

  it('the emulator accepts a lock, SSH key, consumers and an update without attributes as the Go client sends them', async () => {
    const { ask } = await serveLive(seed);
    const lock = await ask('POST', '/workspaces/ws-w/actions/lock', {
      data: { type: '', attributes: { reason: 'freeze' } },
    });
    expect(lock.body.data.attributes['locked-reason']).toBe('freeze');
    const key = { data: { type: 'workspaces', attributes: { id: 'sshkey-1' } } };
    expect((await ask('PATCH', '/workspaces/ws-w/relationships/ssh-key', key)).status).toBe(200);
    const consumers = {
      data: [
        { type: 'workspaces', id: 'ws-other', attributes: { name: '', locked: false }, relationships: {} },
      ],
    };
    expect(
      (await ask('POST', '/workspaces/ws-w/relationships/remote-state-consumers', consumers)).status,
    ).toBe(204);
    expect((await ask('PATCH', '/workspaces/ws-w', { data: { type: 'workspaces' } })).status).toBe(200);
    const withId = { data: { type: 'workspaces', id: '', attributes: { description: 'x' } } };
    expect((await ask('PATCH', '/workspaces/ws-w', withId)).status).toBe(200);
  });

  it('the emulator accepts includes that only newer clients request', async () => {
    const { ask } = await serveLive(seed);
    for (const name of [
      'effective_tag_bindings',
      'current_run,organization',
      'agent_pool',
      'locked_by,readme,outputs',
    ]) {
      expect((await ask('GET', `/workspaces/ws-w?include=${name}`)).status, name).toBe(200);
    }
    const { status, body } = await ask('GET', '/workspaces/ws-w?include=made_up');
    expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining('include parameter')]);
  });

  it('show_only_configured lists the stored consumers even with global sharing on', async () => {
    const { ask } = await serveLive({
      workspaces: {
        a: { id: 'ws-a', 'global-remote-state': true, 'remote-state-consumers': ['b'] },
        b: {},
        c: {},
      },
    });
    const count = async (query: string) =>
      (await ask('GET', `/workspaces/ws-a/relationships/remote-state-consumers${query}`)).body.data.length;
    expect([await count(''), await count('?show_only_configured=true')]).toEqual([2, 1]);
  });
});
