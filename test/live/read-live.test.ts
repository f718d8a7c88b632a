import { expect, test } from 'vitest';
import type { TokenSeed } from '../../src/emulator/index.ts';
import type { LiveQuery } from '../../src/live/live-query.ts';
import { countWorkspaces, readLive } from '../../src/live/read-live.ts';
import type { LiveScope } from '../../src/model/configuration.ts';
import { createCapabilities } from '../../src/service/capabilities.ts';
import { isHidden } from '../../src/service/service-error.ts';
import { rowsIn } from '../support/rows.ts';
import { liveService, numbered, queryFor } from './live-service.ts';

const seed = {
  projects: { One: 'prj-1', Two: 'prj-2' },
  teams: { sre: 'team-sre', dev: 'team-dev' },
  workspaces: {
    app: {
      id: 'ws-app',
      'remote-state-consumers': ['web'],
      'data-retention': { 'delete-older-than-days': 7 },
    },
    web: { id: 'ws-web' },
    shared: { id: 'ws-shared', 'global-remote-state': true, 'remote-state-consumers': ['web'] },
  },
  'team-access': { 'prj-1': { sre: 'admin', dev: 'read' }, 'prj-2': { sre: 'write' } },
} as const;

test('consumers are read for workspaces that declare them, and for no other', async () => {
  const { client, requests } = await liveService({ seed });
  const live = await readLive(client, queryFor({ names: ['app', 'web'], consumersOf: new Set(['app']) }));
  expect(requests()).toEqual([
    'GET /organizations/acme/workspaces/app',
    'GET /organizations/acme/workspaces/web',
    'GET /workspaces/ws-app/relationships/remote-state-consumers?page[size]=100',
  ]);
  expect(live.state.resources.get('workspace.app')?.attributes['remote-state-consumers']).toEqual(['ws-web']);
  expect(live.state.resources.get('workspace.web')?.attributes).not.toHaveProperty('remote-state-consumers');
});

test('consumers are not read while the state is shared with all, because the service would list every workspace', async () => {
  const { client, requests } = await liveService({ seed });
  const live = await readLive(client, queryFor({ names: ['shared'], consumersOf: new Set(['shared']) }));
  expect(requests()).toEqual(['GET /organizations/acme/workspaces/shared']);
  expect(live.state.resources.get('workspace.shared')?.attributes).not.toHaveProperty(
    'remote-state-consumers',
  );
});

test('consumers that cannot be read fail the reading', async () => {
  const { client, service } = await liveService({ seed });
  service.setFaults([{ kind: 'status', status: 404, path: '*/remote-state-consumers' }]);
  const query = queryFor({ names: ['app'], consumersOf: new Set(['app']) });
  await expect(readLive(client, query)).rejects.toThrow(
    'GET /workspaces/ws-app/relationships/remote-state-consumers?page[size]=100 answered 404',
  );
});

test('data retention that the service answers with 404 is none', async () => {
  const { client, service } = await liveService({ seed });
  service.setFaults([{ kind: 'status', status: 404, path: '*/data-retention-policy' }]);
  const live = await readLive(client, queryFor({ names: ['app'], retentionOf: new Set(['app']) }));
  expect(live.state.resources.get('workspace.app')?.attributes['data-retention']).toBeNull();
});

test('data retention that cannot be read for another reason fails the reading', async () => {
  const { client, service } = await liveService({ seed });
  service.setFaults([{ kind: 'status', status: 403, path: '*/data-retention-policy' }]);
  const query = queryFor({ names: ['app'], retentionOf: new Set(['app']) });
  await expect(readLive(client, query)).rejects.toThrow('answered 403: this token may not do that');
});

test('data retention of the organization does not count as that of a workspace', async () => {
  const { client } = await liveService({
    seed: { settings: { 'data-retention': { 'dont-delete': true } }, workspaces: { app: {} } },
  });
  const live = await readLive(client, queryFor({ names: ['app'], retentionOf: new Set(['app']) }));
  expect(live.state.resources.get('workspace.app')?.attributes['data-retention']).toBeNull();
});

test('an empty list of grants fails the reading if the token may not read team access', async () => {
  const list = 'GET /team-projects?filter[project][id]=prj-1';
  const read = async (token: TokenSeed, query: Partial<LiveQuery> = {}) => {
    const { client } = await liveService({ seed: { ...seed, tokens: { 'test-token': token } } });
    return readLive(client, queryFor({ projects: ['prj-1'], ...query }));
  };
  await expect(read({ role: 'reader' })).rejects.toMatchObject({
    message: `${list}: this token may not read the whole team access of One (can-read-teams is false)`,
    hint: 'use a token that may read the team access of the project, such as one of a team with admin access',
  });
  // A member sees the grants of its teams.
  const { state, projects } = await read({ role: 'reader', teams: ['dev'] });
  expect([...state.resources.keys(), ...projects]).toEqual(['team-access.prj-1/team-dev', 'prj-1']);
  const left = await read({ role: 'reader', teams: ['dev'] }, { isHidden });
  expect([...left.state.resources.keys(), ...left.projects]).toEqual([]);
});

test('an empty list of grants is complete if the service does not list its projects', async () => {
  const { client, service } = await liveService({ seed: { projects: { One: 'prj-1' }, workspaces: {} } });
  service.setFaults([{ kind: 'status', status: 403, path: '/organizations/acme/projects' }]);
  expect(await readLive(client, queryFor({ projects: ['prj-1'] }))).toMatchObject({ projects: ['prj-1'] });
});

test.each(['iac', 'terraform'] as const)('the first workspace shows the dialect %s', async (dialect) => {
  const { client, requests } = await liveService({ seed: { workspaces: { app: {} } }, dialect });
  const live = await readLive(client, queryFor({ names: ['app'] }));
  expect(live).toMatchObject({ dialect, diagnostics: [] });
  expect(requests()).toEqual(['GET /organizations/acme/workspaces/app']);
});

test('the list of workspaces shows the dialect if a project has no grants yet', async () => {
  const { client, requests } = await liveService({
    seed: { projects: { One: 'prj-1' }, workspaces: { app: {} } },
  });
  const live = await readLive(client, queryFor({ projects: ['prj-1'] }));
  expect(live).toMatchObject({ dialect: 'iac', diagnostics: [] });
  expect(requests()).toEqual([
    'GET /organizations/acme/projects?page[size]=100',
    'GET /organizations/acme/workspaces?page[size]=1',
    'GET /team-projects?filter[project][id]=prj-1&page[size]=100',
  ]);
});

test.each([
  { what: 'names', query: { names: ['new'] } },
  { what: 'many names', query: { names: ['a', 'b', 'c', 'd'] } },
  { what: 'everything', query: { whole: true } },
  { what: 'a scope', query: { scopes: [{ projects: ['prj-1'] }] } },
  { what: 'grants', query: { projects: ['prj-1'] } },
])('the dialect of an empty organization is assumed with a note, in a query for $what', async ({ query }) => {
  const { client } = await liveService({ seed: { projects: { One: 'prj-1' } } });
  const live = await readLive(client, queryFor(query));
  expect(live.dialect).toBe('iac');
  expect(live.diagnostics).toEqual([
    {
      severity: 'note',
      code: 'assumed-dialect',
      message: 'the dialect of this service is unknown because it has no workspaces; "iac" is assumed',
      hint: 'set service.dialect to `iac` or `terraform`',
    },
  ]);
});

test('the dialect of an empty organization is the one that TFP-API-Version implies', async () => {
  const { client } = await liveService({ seed: { projects: { One: 'prj-1' } }, dialect: 'terraform' });
  const live = await readLive(client, queryFor({ whole: true }));
  expect(live).toMatchObject({ dialect: 'terraform', diagnostics: [] });
});

test('a declared dialect that the documents contradict is an error that names both', async () => {
  const { client } = await liveService({ seed: { workspaces: { app: {} } }, dialect: 'terraform' });
  await expect(readLive(client, queryFor({ whole: true, dialect: 'iac' }))).rejects.toThrow(
    'service.dialect is `iac`, but the documents of the service are in the dialect `terraform`',
  );
});

test('a declared dialect needs no request', async () => {
  const { client, requests } = await liveService({
    seed: { projects: { One: 'prj-1' } },
    dialect: 'terraform',
  });
  const live = await readLive(client, queryFor({ projects: ['prj-1'], dialect: 'terraform' }));
  expect(live).toMatchObject({ dialect: 'terraform', diagnostics: [] });
  expect(requests()).toEqual([
    'GET /organizations/acme/projects?page[size]=100',
    'GET /team-projects?filter[project][id]=prj-1&page[size]=100',
  ]);
});

const workspaces = {
  ...numbered(150, { project: 'prj-1' }),
  'app-prod': { project: 'prj-2', tags: ['prod'] },
  'app-dev': { project: 'prj-2' },
};
test.each(rowsIn<[string, Partial<LiveScope> | null, number, string[]]>`
- [all workspaces with one entry of one page, ~, 152, ['?page[size]=1']]
- [those of a project with one entry of one page, {projects: [prj-2]}, 2, ['?filter[project][id]=prj-2&page[size]=1']]
- [those with tags and a name with one entry of one page, {tags: [prod], names: [app-*]}, 1, ['?search[tags]=prod&search[wildcard-name]=app-*&page[size]=1']]
- [those of several projects by reading them, {projects: [prj-1, prj-2]}, 152, ['?page[number]=2&page[size]=100', '?page[size]=100']]
- [those of a scope without a matching filter by reading all, {names: ['*-p*d']}, 1, ['?page[number]=2&page[size]=100', '?page[size]=100']]
`)('workspaces are counted: %s', async (_, scope, count, queries) => {
  const { client, requests } = await liveService({
    seed: { projects: { One: 'prj-1', Two: 'prj-2' }, workspaces },
  });
  expect(await countWorkspaces(client, 'acme', scope ?? undefined)).toBe(count);
  expect(requests()).toEqual(queries.map((query) => `GET /organizations/acme/workspaces${query}`));
});

test('workspaces are counted one by one if the service returns no total', async () => {
  const data = [{ id: 'ws-1' }, { id: 'ws-2' }];
  const reader = { capabilities: createCapabilities(), get: async () => ({ data }) };
  expect(await countWorkspaces(reader, 'acme', undefined)).toBe(2);
});
