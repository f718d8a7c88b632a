import { expect, test } from 'vitest';
import type { WriteRequest } from '../../src/model/plan.ts';
import { createService } from '../../src/sdk/create-service.ts';
import type { Service } from '../../src/sdk/service.ts';
import { createCapabilities } from '../../src/service/capabilities.ts';
import type { ServiceClient } from '../../src/service/client.ts';
import { type Endpoint, endpoints } from '../../src/service/endpoints.ts';

const workspace = { id: 'ws-1', type: 'workspaces', attributes: { name: 'network' } };
const byName = { organization: 'acme', name: 'network' };

/** Writes down what is asked, and answers all of it in the same way. */
function recording(answer: { readonly read?: unknown; readonly written?: unknown } = {}) {
  const asked: string[] = [];
  const bodies: WriteRequest['body'][] = [];
  const client: ServiceClient = {
    capabilities: createCapabilities(),
    get: async (path, query) => {
      const parameters = Object.entries(query ?? {}).map(([name, value]) => `${name}=${value}`);
      asked.push(['GET ', path, ...(parameters.length > 0 ? ['?', parameters.join('&')] : [])].join(''));
      return { data: answer.read ?? workspace };
    },
    send: async ({ method, path, body }) => {
      asked.push(`${method} ${path}`);
      bodies.push(body);
      return answer.written === undefined ? undefined : { data: answer.written };
    },
    close: async () => {},
  };
  return { client, asked, bodies };
}

/** Not of the interface, and no look-ups: only plans and their reads use them. */
type OfPlans =
  | 'upsertBindings'
  | 'showOrganization'
  | `${'show' | 'create' | 'update' | 'delete'}Project`
  | 'upsertProjectBindings'
  | 'moveWorkspaces'
  | 'listRecoverableItems'
  | 'recoverWorkspace';

/** One call of each method, with ids that show the position of each parameter. */
const everything: Readonly<Record<Exclude<Endpoint, OfPlans>, (service: Service) => Promise<unknown>>> = {
  createWorkspace: ({ workspaces }) => workspaces.create('acme', { name: 'network' }),
  listWorkspaces: ({ workspaces }) => workspaces.page('acme'),
  showWorkspace: ({ workspaces }) => workspaces.show('ws-1'),
  showWorkspaceByName: ({ workspaces }) => workspaces.show(byName),
  updateWorkspace: ({ workspaces }) => workspaces.update('ws-1', {}),
  updateWorkspaceByName: ({ workspaces }) => workspaces.update(byName, {}),
  safeDeleteWorkspace: ({ workspaces }) => workspaces.safeDelete('ws-1'),
  safeDeleteWorkspaceByName: ({ workspaces }) => workspaces.safeDelete(byName),
  forceDeleteWorkspace: ({ workspaces }) => workspaces.forceDelete('ws-1'),
  forceDeleteWorkspaceByName: ({ workspaces }) => workspaces.forceDelete(byName),
  lockWorkspace: ({ workspaces }) => workspaces.lock('ws-1', 'freeze'),
  unlockWorkspace: ({ workspaces }) => workspaces.unlock('ws-1'),
  forceUnlockWorkspace: ({ workspaces }) => workspaces.forceUnlock('ws-1'),
  assignSshKey: ({ workspaces }) => workspaces.assignSshKey('ws-1', null),
  listConsumers: ({ remoteStateConsumers }) => remoteStateConsumers.page('ws-1'),
  replaceConsumers: ({ remoteStateConsumers }) => remoteStateConsumers.replace('ws-1', ['ws-2']),
  addConsumers: ({ remoteStateConsumers }) => remoteStateConsumers.add('ws-1', ['ws-2']),
  removeConsumers: ({ remoteStateConsumers }) => remoteStateConsumers.remove('ws-1', ['ws-2']),
  listTags: ({ tags }) => tags.page('ws-1'),
  addTags: ({ tags }) => tags.add('ws-1', ['prod', { id: 'tag-1' }]),
  removeTags: ({ tags }) => tags.remove('ws-1', ['prod']),
  showRetention: ({ dataRetention }) => dataRetention.show('ws-1'),
  setRetention: ({ dataRetention }) => dataRetention.set('ws-1', { 'dont-delete': true }),
  removeRetention: ({ dataRetention }) => dataRetention.remove('ws-1'),
  listTeamProjects: ({ teamProjects }) => teamProjects.page('prj-1'),
  showTeamProject: ({ teamProjects }) => teamProjects.show('tprj-1'),
  createGrant: ({ teamProjects }) =>
    teamProjects.create({ project: 'prj-1', team: 'team-1', access: 'read' }),
  updateGrant: ({ teamProjects }) => teamProjects.update('tprj-1', { access: 'write' }),
  deleteGrant: ({ teamProjects }) => teamProjects.delete('tprj-1'),
  listProjects: ({ projects }) => projects.page('acme'),
  listTeams: ({ teams }) => teams.page('acme'),
  listSshKeys: ({ sshKeys }) => sshKeys.page('acme'),
  listAgentPools: ({ agentPools }) => agentPools.page('acme'),
  listOauthClients: ({ oauthClients }) => oauthClients.page('acme'),
  listOauthClientTokens: ({ oauthClients }) => oauthClients.tokens('x-1'),
};

test.each(Object.keys(everything) as (keyof typeof everything)[])(
  'the typed method of an endpoint sends only its request: %s',
  async (endpoint) => {
    const [method, path] = endpoints[endpoint];
    const isList = endpoint.startsWith('list');
    const { client, asked } = recording({ read: isList ? [workspace] : workspace, written: workspace });
    await everything[endpoint](createService(client));
    const filled = path
      .replace(':organization', 'acme')
      .replace(':workspace', 'ws-1')
      .replace(':name', 'network')
      .replace(':id', path.startsWith('/team-projects') ? 'tprj-1' : 'x-1');
    expect(asked.map((request) => request.replace(/\?.*/, ''))).toEqual([`${method} ${filled}`]);
  },
);

test('every method of the typed client belongs to an endpoint', async () => {
  const { client } = recording();
  const methods = Object.entries(createService(client)).flatMap(([group, members]) =>
    Object.keys(members).map((method) => `${group}.${method}`),
  );
  // `list` reads the pages of the same endpoint.
  const paged = methods.filter((method) => method.endsWith('.list'));
  const addressedTwice = ['show', 'update', 'safeDelete', 'forceDelete'];
  expect(methods.length - paged.length + addressedTwice.length).toBe(Object.keys(everything).length);
});

test('a filter of workspaces becomes the parameters of section 4.1', async () => {
  const { client, asked } = recording({ read: [] });
  await createService(client).workspaces.page('acme', {
    name: 'net',
    wildcardName: '*-prod',
    tags: ['a', 'b'],
    excludeTags: ['c'],
    project: 'prj-1',
    currentRunStatus: 'applied',
    tagged: [{ key: 'team' }, { key: 'stage', value: 'prod' }],
    sort: '-latest-change-at',
    include: ['project', 'current_run.plan'],
    number: 2,
    size: 50,
  });
  expect(asked).toEqual([
    'GET /organizations/acme/workspaces?search[name]=net&search[wildcard-name]=*-prod&search[tags]=a,b' +
      '&search[exclude-tags]=c&filter[project][id]=prj-1&filter[current-run][status]=applied' +
      '&sort=-latest-change-at&include=project,current_run.plan' +
      '&filter[tagged][0][key]=team&filter[tagged][1][key]=stage&filter[tagged][1][value]=prod' +
      '&page[number]=2&page[size]=50',
  ]);
});

test('names are searched together, and a part of a name by itself', async () => {
  const { client, asked } = recording({ read: [] });
  const { teams } = createService(client);
  await teams.list('acme', { names: ['sre', 'developers'] });
  await teams.page('acme', { search: 'dev', size: 5 });
  expect(asked).toEqual([
    'GET /organizations/acme/teams?filter[names]=sre,developers&page[size]=100',
    'GET /organizations/acme/teams?q=dev&page[size]=5',
  ]);
});

test('a new workspace is sent with its project as a relationship, and all else as attributes', async () => {
  const { client, bodies } = recording({ written: workspace });
  const { workspaces } = createService(client);
  await workspaces.create('acme', { name: 'network', project: 'prj-1', 'auto-apply': true });
  const attributes = { name: 'network', 'auto-apply': true };
  const relationships = { project: { data: { type: 'projects', id: 'prj-1' } } };
  expect(bodies).toEqual([{ data: { type: 'workspaces', attributes, relationships } }]);
});

test('a lock without a reason is sent without a body', async () => {
  const { client, bodies } = recording({ written: workspace });
  await createService(client).workspaces.lock('ws-1');
  expect(bodies).toEqual([undefined]);
});

test('tags are sent by name or by id', async () => {
  const { client, bodies } = recording();
  await createService(client).tags.add('ws-1', ['prod', { id: 'tag-1' }]);
  const byName = { type: 'tags', attributes: { name: 'prod' } };
  expect(bodies).toEqual([{ data: [byName, { type: 'tags', id: 'tag-1' }] }]);
});

const attributes = {
  name: 'network',
  'terraform-version': '1.9.0',
  'vcs-repo': { identifier: 'acme/network', 'github-app-installation-id': 'ghain-1' },
};
const neutral = {
  name: 'network',
  'iac-version': '1.9.0',
  'vcs-repo': { identifier: 'acme/network', 'vcs-app-installation-id': 'ghain-1' },
};

test('the terraform dialect is used on the wire, and the library accepts and returns the names of the interface', async () => {
  const answered = { ...workspace, attributes };
  const { client, bodies } = recording({ read: answered, written: answered });
  const { workspaces } = createService(client, { dialect: 'terraform' });
  const created = await workspaces.create('acme', neutral);
  expect(bodies).toEqual([{ data: { type: 'workspaces', attributes } }]);
  expect(created.attributes).toEqual(neutral);
  expect((await workspaces.show('ws-1')).attributes).toEqual(neutral);
});

test('the terraform dialect uses its own name for a permission', async () => {
  const grant = { access: 'custom', 'workspace-access': { 'sentinel-mocks': 'read' } };
  const { client, bodies } = recording({ written: { id: 'tprj-1', attributes: grant } });
  const { teamProjects } = createService(client, { dialect: 'terraform' });
  const permissions = { access: 'custom', 'workspace-access': { 'policy-mocks': 'read' } } as const;
  const updated = await teamProjects.update('tprj-1', permissions);
  expect(bodies).toEqual([{ data: { id: 'tprj-1', type: 'team-projects', attributes: grant } }]);
  expect(updated.attributes).toEqual(permissions);
});

test.each<[string, (service: Service) => Promise<unknown>, string]>([
  ['a create', (on) => on.workspaces.create('acme', { name: 'new' }), 'organizations/acme/workspaces/new'],
  ['an update', ({ workspaces }) => workspaces.update('ws-1', {}), 'workspaces/ws-1'],
  ['a lock', ({ workspaces }) => workspaces.lock('ws-1'), 'workspaces/ws-1'],
  ['a rename', (on) => on.workspaces.update(byName, { name: 'net' }), 'organizations/acme/workspaces/net'],
])('a write that is answered without a document is followed by a read: %s', async (_name, write, path) => {
  const { client, asked } = recording();
  expect(await write(createService(client))).toMatchObject({ id: 'ws-1' });
  expect(asked[1]).toBe(`GET /${path}`);
});

test('a new grant without a document in its answer is found among those of its project', async () => {
  const grant = (team: string) => ({
    id: `tprj-${team}`,
    attributes: { access: 'read' },
    relationships: { team: { data: { id: team, type: 'teams' } } },
  });
  const { client } = recording({ read: [grant('team-1'), grant('team-2')] });
  const { teamProjects } = createService(client);
  const created = { project: 'prj-1', access: 'read' } as const;
  expect(await teamProjects.create({ ...created, team: 'team-2' })).toMatchObject({ id: 'tprj-team-2' });
  await expect(teamProjects.create({ ...created, team: 'team-3' })).rejects.toThrow(
    'POST /team-projects: the response has no document, and the project lists no such grant',
  );
});

test('a response without a resource is an error that names the request', async () => {
  const { client } = recording({ read: { attributes: {} } });
  await expect(createService(client).workspaces.show('ws-1')).rejects.toThrow(
    'GET /workspaces/ws-1: the response is not usable: no resource with an id',
  );
});

test('an empty id is refused before any request', async () => {
  const { client, asked } = recording();
  const { workspaces } = createService(client);
  await expect(workspaces.show('')).rejects.toThrow('invalid id or name ""');
  expect(asked).toEqual([]);
});
