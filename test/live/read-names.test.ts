import nock from 'nock';
import { expect, test } from 'vitest';
import { NoLookUpError, readNames } from '../../src/live/read-names.ts';
import { type AliasKind, aliasKinds } from '../../src/model/alias-kind.ts';
import { api, clientUnderTest, rejection, useNock } from '../service/nocked-client.ts';
import { liveService } from './live-service.ts';

test.each<[AliasKind, string, string]>([
  ['projects', 'projects', 'prj-pay'],
  ['teams', 'teams', 'team-pay'],
  ['ssh-keys', 'ssh-keys', 'sshkey-pay'],
  ['agent-pools', 'agent-pools', 'apool-pay'],
  ['vcs-connections', 'oauth-clients', 'ot-pay'],
])('the names of %s take one request', async (kind, endpoint, id) => {
  const seed = Object.fromEntries(aliasKinds.map((each) => [each, { 'Pay ments': idOf(each) }]));
  const { client, requests } = await liveService({ seed });
  expect(await readNames(client, 'acme', kind)).toContainEqual({ id, name: 'Pay ments' });
  expect(requests()).toEqual([`GET /organizations/acme/${endpoint}?page[size]=100`]);
});

function idOf(kind: AliasKind): string {
  const prefixes = { projects: 'prj', teams: 'team', 'ssh-keys': 'sshkey', 'agent-pools': 'apool' };
  return `${kind === 'vcs-connections' ? 'ot' : prefixes[kind]}-pay`;
}

useNock();
const list = (endpoint: string) =>
  nock(api).get(`/organizations/acme/${endpoint}`).query({ 'page[size]': '100' });

test('a connection has the id of each of its tokens, wherever the service returns them', async () => {
  list('oauth-clients').reply(200, {
    data: [
      {
        id: 'oc-1',
        type: 'oauth-clients',
        attributes: { name: 'github' },
        relationships: { 'oauth-tokens': { data: [{ id: 'ot-1', type: 'oauth-tokens' }] } },
      },
      { id: 'oc-2', type: 'oauth-clients', attributes: { name: 'gitlab' } },
      { id: 'oc-3', type: 'oauth-clients', attributes: { name: null } },
    ],
  });
  nock(api)
    .get('/oauth-clients/oc-2/oauth-tokens')
    .query({ 'page[size]': '100' })
    .reply(200, { data: [{ id: 'ot-2' }, { id: 'ot-3' }] });
  expect(await readNames(clientUnderTest().client, 'acme', 'vcs-connections')).toEqual([
    { id: 'ot-1', name: 'github' },
    { id: 'ot-2', name: 'gitlab' },
    { id: 'ot-3', name: 'gitlab' },
  ]);
});

test.each([
  [404, 'not found, or this token may not see it'],
  [403, 'this token may not do that'],
])('a response with %i to a list of names is distinguished from other failures', async (status, meaning) => {
  list('agent-pools').reply(status, { errors: [{ status: String(status) }] });
  nock(api).get('/organizations/acme/workspaces?page[size]=1').optionally().reply(200, { data: [] });
  const error = await rejection(readNames(clientUnderTest().client, 'acme', 'agent-pools'));
  expect(error).toBeInstanceOf(NoLookUpError);
  const request = 'GET /organizations/acme/agent-pools?page[size]=100';
  expect(error.message).toContain(`${request} answered ${status}: ${meaning}`);
});

test('a failing service is distinguished from a missing list of names', async () => {
  list('teams').reply(422, { errors: [{ detail: 'no' }] });
  const error = await rejection(readNames(clientUnderTest().client, 'acme', 'teams'));
  expect(error.message).toBe('GET /organizations/acme/teams?page[size]=100 answered 422: no');
});

test('a name that is not text is refused', async () => {
  list('teams').reply(200, { data: [{ id: 'team-1', type: 'teams', attributes: { name: 7 } }] });
  const error = await rejection(readNames(clientUnderTest().client, 'acme', 'teams'));
  expect(error.message).toBe(
    'GET /organizations/acme/teams: the response is not usable: the name of the team team-1 is not a string',
  );
});
