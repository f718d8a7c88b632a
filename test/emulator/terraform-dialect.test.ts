import { describe, expect, it } from 'vitest';
import type { Seed } from '../../src/emulator/index.ts';
import { serviceWith } from '../support/attune.ts';
import { serve } from './service.ts';

const serveLive = (seed: Seed = {}) => serve({ seed, dialect: 'terraform' });

const seed: Seed = {
  projects: { Platform: 'prj-platform', 'Payments Platform': 'prj-payments' },
  teams: { sre: 'team-sre', developers: 'team-dev' },
  'ssh-keys': { deploy: 'sshkey-1' },
  'agent-pools': { onprem: 'apool-1', cloud: 'apool-2' },
  'vcs-connections': { github: { id: 'ot-1', client: 'oc-1', provider: 'github' } },
  workspaces: { w: { id: 'ws-w', tags: ['prod'] }, other: { id: 'ws-other' } },
};

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
