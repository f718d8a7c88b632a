import { expect, test } from 'vitest';
import { accessIn } from '../../src/access/access.ts';
import type { RowLabels } from '../../src/access/row-labels.ts';
import { teamRows } from '../../src/access/team-answer.ts';
import { impliedPermissions, isFixedLevel } from '../../src/model/permissions.ts';
import { grantAddress, type Resource } from '../../src/model/state.ts';
import { isRecord, type Value } from '../../src/model/value.ts';
import { rowsIn } from '../support/rows.ts';

/** Grants by project and team: a level, or permissions under `custom` or another level. */
interface Given {
  readonly projects?: readonly string[];
  readonly unread?: readonly string[];
  readonly grants?: Readonly<Record<string, Readonly<Record<string, Value>>>>;
  /** Permissions in the organization by team: `null` if they are hidden; `null` for all if no team is listed. */
  readonly teams?: Readonly<Record<string, readonly string[] | null>> | null;
  readonly team?: string;
}

const location = { file: 'attune.yaml', line: 1, column: 1 };
const named = (id: string) => id.replace(/^(prj|team)-/, '');
const labels: RowLabels = {
  project: named,
  team: named,
  workspace: named,
  grant: ({ attributes }) => (attributes.team === 'team-role' ? { location, role: 'auditor' } : {}),
  sharing: () => ({}),
};

function rowsOf({ projects = ['prj-a'], unread = [], grants = {}, teams: given = {}, team }: Given) {
  const resources = Object.entries(grants).flatMap(([project, byTeam]) =>
    Object.entries(byTeam).map(([id, value]) => {
      const { access, ...values } = isRecord(value) ? value : { access: value };
      const level = access ?? 'custom';
      const implied = isFixedLevel(level) ? impliedPermissions[level] : {};
      const attributes = { ...implied, ...values, project, team: id, access: level };
      return { kind: 'team-access', address: grantAddress(project, id), name: id, attributes } as Resource;
    }),
  );
  const teams =
    given &&
    Object.entries(given).map(([id, access]) => ({
      ...{ id, name: named(id), members: [], isAdminOfAll: false, seesSecretTeams: false },
      organizationAccess: access ?? undefined,
    }));
  const facts = { hasMembers: () => false, teams: teams ?? undefined };
  const access = accessIn(resources, { ...facts, hasGrants: (id) => !unread.includes(id) });
  return teamRows(access, { projects, teams: teams ?? undefined, team, labels });
}

test.each(rowsIn<[string, Given, string[]]>`
- ['a value that a grant does not have is unknown', {grants: {prj-a: {team-x: {}}}}, ['x a custom by grant: unknown/unknown/unknown']]
- ['a permission of the organization has the level with the same permissions', {teams: {team-x: [manage-workspaces]}}, ['x a maintain by manage-workspaces: apply/write/write']]
- ['rights of which none permits all together', {grants: {prj-a: {team-x: {workspace-access.runs: apply}}}, teams: {team-x: [read-workspaces]}}, ['x a custom by grant: apply/read/read, also read by read-workspaces']]
- ['the right that permits all comes first', {grants: {prj-a: {team-x: read}}, teams: {team-x: [manage-projects]}}, ['x a admin by manage-projects: apply/write/write, also read by grant']]
- ['rights that are a level together', {grants: {prj-a: {team-x: {workspace-access.runs: apply, workspace-access.policy-mocks: read, workspace-access.state-versions: write, workspace-access.variables: write, workspace-access.create: false, workspace-access.locking: true, workspace-access.delete: false, workspace-access.move: false, workspace-access.run-tasks: false}}}, teams: {team-x: [read-projects]}}, ['x a write by grant: apply/write/write, also read by read-projects']]
- ['permissions that no level implies do not count', {grants: {prj-a: {team-x: {access: read, project-access.variable-sets: read}}}, teams: {team-x: [manage-workspaces]}}, ['x a maintain by manage-workspaces: apply/write/write, also read by grant']]
- ['teams that are not listed may have access', {teams: null}, ['* a unknown by organization-permission: unknown/unknown/unknown']]
- ['teams that hide their permissions may have access', {teams: {team-x: [], team-y: null}}, ['* a unknown by organization-permission: unknown/unknown/unknown']]
- ['another team that hides its permissions', {teams: {team-x: [], team-y: null}, team: team-x}, []]
- ['an unknown row names the only team', {unread: [prj-a], team: team-x}, ['x a unknown by grant: unknown/unknown/unknown']]
- ['an unknown row of several projects', {teams: null, projects: [prj-a, prj-b]}, ['* * unknown by organization-permission: unknown/unknown/unknown']]
- ['an unknown row of no project', {teams: null, projects: []}, ['* * unknown by organization-permission: unknown/unknown/unknown']]
`)('the rows of the access of teams: %s', (_, given, lines) => {
  const printed = rowsOf(given).map(({ team, project, level, runs, variables, state, also = [], ...row }) => {
    const others = also.map((right) => `, also ${right.level} by ${right.permission ?? right.source}`);
    const source = row.permission ?? row.source;
    return `${team} ${project} ${level} by ${source}: ${runs}/${variables}/${state}${others.join('')}`;
  });
  expect(printed).toEqual(lines);
});

test('a row has ids and every permission, and no members that it does not need', () => {
  const returned = { 'project-access.variable-sets': 'read', 'workspace-access.policy-overrides': false };
  const row = {
    teamId: 'team-x',
    projectId: 'prj-a',
    team: 'x',
    project: 'a',
    level: 'write',
    source: 'grant',
  };
  const values = { runs: 'apply', variables: 'write', state: 'write' };
  const rows = rowsOf({ grants: { 'prj-a': { 'team-x': { access: 'write', ...returned } } } });
  expect(rows).toEqual([{ ...row, ...values, permissions: { ...impliedPermissions.write, ...returned } }]);
  expect(rowsOf({ unread: ['prj-a'] })).toEqual([
    {
      ...{ team: '*', project: 'a', projectId: 'prj-a', level: 'unknown', source: 'grant' },
      ...{ runs: 'unknown', variables: 'unknown', state: 'unknown', permissions: {} },
    },
  ]);
  const [withRole] = rowsOf({ grants: { 'prj-a': { 'team-role': 'read' } } });
  expect(withRole).toMatchObject({ source: 'role', role: 'auditor', location });
});
