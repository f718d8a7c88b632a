import { expect, test } from 'vitest';
import {
  type RowLabels,
  readersOfState,
  statesReadBy,
  type TeamRowsInput,
  teamRows,
} from '../../src/access/access-rows.ts';
import type { TeamFacts } from '../../src/live/access-facts.ts';
import { type AccessLevel, impliedPermissions, isFixedLevel } from '../../src/model/permissions.ts';
import type { GrantResource, WorkspaceResource } from '../../src/model/state.ts';
import type { Value, Values } from '../../src/model/value.ts';

const location = { file: 'attune.yaml', line: 1, column: 1 };
const named = (id: string) => id.replace(/^(prj|team|ws)-/, '');
const labels: RowLabels = {
  project: named,
  team: named,
  workspace: named,
  grant: ({ attributes }) => (attributes.team === 'team-role' ? { location, role: 'auditor' } : {}),
  sharing: (_owner, _source, reader = []) => (reader.includes('declared') ? location : undefined),
};

const grant = (project: string, team: string, access: AccessLevel, values: Values = {}): GrantResource => ({
  kind: 'team-access',
  address: `team-access.${project}/${team}`,
  name: `${project}/${team}`,
  attributes: {
    ...(isFixedLevel(access) ? impliedPermissions(access) : {}),
    ...values,
    project,
    team,
    access,
  },
});
const team = (id: string, organizationAccess: readonly string[] | undefined = []): TeamFacts => ({
  id,
  name: named(id),
  members: [],
  organizationAccess,
  isAdminOfAll: false,
  seesSecretTeams: false,
});
const hiddenTeam: TeamFacts = { ...team('team-hidden'), organizationAccess: undefined };
const rowsOf = (input: Partial<TeamRowsInput>) =>
  teamRows({ projects: ['prj-a'], unread: new Set(), grants: [], teams: [], labels, ...input });
const shown = (input: Partial<TeamRowsInput>) =>
  rowsOf(input).map(
    ({ team: name, teamId = 'no id', project, level, source }) =>
      `${name} (${teamId}) ${project} ${level} ${source}`,
  );

test('a grant of a fixed level has the permissions that no level implies, as the service returned them', () => {
  const returned = { 'project-access.variable-sets': 'read', 'workspace-access.policy-overrides': false };
  const [row, ...others] = rowsOf({ grants: [grant('prj-a', 'team-dev', 'write', returned)] });
  expect(others).toEqual([]);
  expect(row?.permissions).toEqual({ ...impliedPermissions('write'), ...returned });
  expect(row?.level).toBe('write');
  expect(rowsOf({ grants: [grant('prj-a', 'team-dev', 'write')] })[0]?.permissions).toEqual(
    impliedPermissions('write'),
  );
});

test('a row has no members that it does not need', () => {
  expect(rowsOf({ grants: [grant('prj-a', 'team-dev', 'read')] })).toStrictEqual([
    {
      team: 'dev',
      teamId: 'team-dev',
      project: 'a',
      projectId: 'prj-a',
      level: 'read',
      source: 'grant',
      runs: 'read',
      variables: 'read',
      state: 'read',
      permissions: impliedPermissions('read'),
    },
  ]);
  expect(rowsOf({ grants: [grant('prj-a', 'team-role', 'read')] })).toMatchObject([
    { source: 'role', role: 'auditor', location },
  ]);
});

test('rights of which none permits all together are a level that one of them does not have', () => {
  const runs = { 'workspace-access.runs': 'apply' };
  const rights = {
    grants: [grant('prj-a', 'team-dev', 'custom', runs)],
    teams: [team('team-dev', ['read-workspaces'])],
  };
  expect(rowsOf(rights)).toMatchObject([
    {
      level: 'custom',
      source: 'grant',
      runs: 'apply',
      variables: 'read',
      also: [{ level: 'read', source: 'organization-permission', permission: 'read-workspaces' }],
    },
  ]);
  const rest = Object.entries(impliedPermissions('write')).filter(
    ([path]) => !path.startsWith('project-access'),
  );
  const together = { ...rights, grants: [grant('prj-a', 'team-dev', 'custom', Object.fromEntries(rest))] };
  expect(rowsOf(together)).toMatchObject([{ level: 'write', source: 'grant', also: [{ level: 'read' }] }]);
});

test('a permission of the organization has the level with the same permissions', () => {
  expect(shown({ teams: [team('team-ops', ['manage-workspaces'])] })).toEqual([
    'ops (team-ops) a maintain organization-permission',
  ]);
});

test('permissions that no level implies do not keep rights together from having a level', () => {
  const returned = { 'project-access.variable-sets': 'read' };
  const rights = {
    grants: [grant('prj-a', 'team-ops', 'read', returned)],
    teams: [team('team-ops', ['manage-workspaces'])],
  };
  expect(rowsOf(rights)).toMatchObject([{ level: 'maintain', permissions: returned }]);
});

test('a value that a grant does not have is unknown', () => {
  expect(rowsOf({ grants: [grant('prj-a', 'team-dev', 'custom')] })).toMatchObject([
    { runs: 'unknown', variables: 'unknown', state: 'unknown', permissions: {} },
  ]);
});

test('teams that hide their permissions in the organization, or that are not listed, may have access', () => {
  const unknown = '* (no id) a unknown organization-permission';
  expect(shown({ teams: undefined })).toEqual([unknown]);
  expect(shown({ teams: [team('team-dev'), hiddenTeam] })).toEqual([unknown]);
  expect(shown({ teams: [team('team-dev')] })).toEqual([]);
  expect(shown({ teams: [team('team-dev'), hiddenTeam], team: 'team-dev' })).toEqual([]);
});

test('an unknown row names the team and the project if there is one in question', () => {
  const [row] = rowsOf({ unread: new Set(['prj-a']) });
  expect(row).toStrictEqual({
    team: '*',
    project: 'a',
    projectId: 'prj-a',
    level: 'unknown',
    source: 'grant',
    runs: 'unknown',
    variables: 'unknown',
    state: 'unknown',
    permissions: {},
  });
  expect(shown({ unread: new Set(['prj-a']), team: 'team-dev' })).toEqual(['dev (team-dev) a unknown grant']);
  expect(shown({ teams: undefined, projects: ['prj-a', 'prj-b'] })).toEqual([
    '* (no id) * unknown organization-permission',
  ]);
  expect(shown({ teams: undefined, projects: [] })).toEqual(['* (no id) * unknown organization-permission']);
});

test('rows have the order of projects and teams, with what could not be read last', () => {
  const grants = ['prj-b', 'prj-a'].flatMap((project) =>
    ['team-y', 'team-x'].map((id) => grant(project, id, 'read')),
  );
  expect(shown({ grants, projects: ['prj-b', 'prj-a'], unread: new Set(['prj-b']) })).toEqual([
    'x (team-x) a read grant',
    'y (team-y) a read grant',
    'x (team-x) b read grant',
    'y (team-y) b read grant',
    '* (no id) b unknown grant',
  ]);
});

const workspace = (name: string, project: string, values: Readonly<Record<string, Value>> = {}) =>
  ({
    kind: 'workspace',
    address: `workspace.${name}`,
    name,
    id: `ws-${name}`,
    attributes: { project, 'remote-state-consumers': [], ...values },
  }) as WorkspaceResource;
const toProject = { 'project-remote-state': true };
const toList = (...names: string[]) => ({ 'remote-state-consumers': names.map((name) => `ws-${name}`) });
const states = { homes: new Map([['ws-far', 'prj-far']]), labels };

test('readers of a list have their projects and entries, and the workspace itself is none', () => {
  const owner = workspace('app', 'prj-a', toList('web', 'far', 'app', 'declared', 'lost'));
  const workspaces = [owner, workspace('web', 'prj-b')];
  expect(readersOfState(owner, { ...states, workspaces })).toStrictEqual([
    { workspace: 'declared', project: 'unknown', via: 'list', source: 'remote-state-consumers', location },
    { workspace: 'far', project: 'far', via: 'list', source: 'remote-state-consumers' },
    { workspace: 'lost', project: 'unknown', via: 'list', source: 'remote-state-consumers' },
    { workspace: 'web', project: 'b', via: 'list', source: 'remote-state-consumers' },
  ]);
});

test('readers in the project of a workspace are the others of it', () => {
  const owner = workspace('app', 'prj-a', toProject);
  const workspaces = [workspace('web', 'prj-a'), owner, workspace('api', 'prj-a'), workspace('x', 'prj-b')];
  expect(readersOfState(owner, { ...states, workspaces })).toStrictEqual([
    { workspace: 'api', project: 'a', via: 'project', source: 'project-remote-state' },
    { workspace: 'web', project: 'a', via: 'project', source: 'project-remote-state' },
  ]);
});

test('states that a workspace reads are those that a list, its project or all share with it, without its own', () => {
  const reader = workspace('app', 'prj-a', { 'global-remote-state': true });
  const workspaces = [
    workspace('z-list', 'prj-b', toList('web', 'app')),
    workspace('other-list', 'prj-a', toList('web')),
    workspace('project', 'prj-a', toProject),
    workspace('other-project', 'prj-b', toProject),
    workspace('all', 'prj-b', { 'global-remote-state': true }),
    reader,
  ];
  const rows = statesReadBy(reader, { ...states, workspaces });
  expect(rows.map(({ workspace: name, via }) => `${name} ${via}`)).toEqual([
    'all all',
    'project project',
    'z-list list',
  ]);
});
