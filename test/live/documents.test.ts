import { expect, test } from 'vitest';
import {
  grantFromDocument,
  noteMissingFlags,
  projectFromDocument,
  workspaceFromDocument,
} from '../../src/live/from-document.ts';
import { permissionPaths, permissions } from '../../src/model/permissions.ts';
import { createCapabilities } from '../../src/service/capabilities.ts';
import { asResourceObject, type ResourceObject } from '../../src/service/documents.ts';
import { rowsIn } from '../support/rows.ts';

const neutralPaths = permissionPaths.filter((path) => !permissions[path].only);

function object(
  attributes: Record<string, unknown>,
  relationships: Record<string, unknown> = {},
  type = 'workspaces',
): ResourceObject {
  const parsed = asResourceObject({ id: 'x-1', type, attributes, relationships });
  if (parsed === undefined) throw new Error('not a resource object');
  return parsed;
}

const to = (type: string, id: string) => ({ data: { type, id } });

test.each([
  ['iac', 'iac-version', 'vcs-app-installation-id'],
  ['terraform', 'terraform-version', 'github-app-installation-id'],
] as const)('a workspace document is read in the %s dialect', (dialect, version, installation) => {
  const repository = { identifier: 'acme/app', [installation]: 'ghain-1', 'webhook-url': 'https://x' };
  const document = object({ name: 'app', [version]: '1.9.0', 'vcs-repo': repository });
  const { attributes } = workspaceFromDocument(document, dialect);
  expect(attributes).toMatchObject({
    'iac-version': '1.9.0',
    'vcs-repo.identifier': 'acme/app',
    'vcs-repo.vcs-app-installation-id': 'ghain-1',
  });
  expect(Object.keys(attributes).filter((path) => path.includes('webhook'))).toEqual([]);
});

test('a workspace document with every field is read completely', () => {
  const [given, related, expected] = rowsIn<Record<string, unknown>>`
- {name: app, auto-apply: true, description: null, execution-mode: agent, trigger-prefixes: null, trigger-patterns: [b, a], setting-overwrites: {execution-mode: true, agent-pool: false},
   vcs-repo: null, tag-names: [b, a, b], locked: true, locked-reason: freeze, resource-count: 3, environment: default}
- {project: {data: {type: projects, id: prj-1}}, agent-pool: {data: {type: agent-pools, id: apool-1}}, ssh-key: {data: {type: ssh-keys, id: sshkey-1}},
   locked-by: {data: {type: users, id: user-1}}, data-retention-policy: {data: null}}
- {project: prj-1, agent-pool-id: apool-1, ssh-key: sshkey-1, lock: {locked: true, reason: freeze, by: user-1}, data-retention: null, auto-apply: true, description: null, execution-mode: agent,
   operations: true, trigger-prefixes: [], trigger-patterns: [a, b], setting-overwrites.execution-mode: true, setting-overwrites.agent-pool: false, vcs-repo: null, tags: [a, b], resource-count: 3}
`;
  const { attributes, listed } = workspaceFromDocument(object(given ?? {}, related), 'iac');
  expect(attributes).toEqual(expected);
  expect(listed).toEqual({ 'trigger-patterns': ['b', 'a'] });
});

test.each([
  ['tag-names that are null', { 'tag-names': null }, { tags: [] }],
  ['a reason without a lock', { locked: false, 'locked-reason': 'old' }, { lock: { locked: false } }],
  ['an empty reason', { locked: true, 'locked-reason': '' }, { lock: { locked: true } }],
  ['a lock that is null', { locked: null }, { lock: { locked: false } }],
  ['local execution', { 'execution-mode': 'local' }, { operations: false }],
  ['a repository without keys', { 'vcs-repo': {} }, {}],
])('a workspace document with %s is read', (_name, attributes, expected) => {
  const document = object({ name: 'app', ...attributes });
  expect(workspaceFromDocument(document, 'iac').attributes).toMatchObject(expected);
});

test('a workspace document has tags in lower case in the terraform dialect, and unchanged in the other', () => {
  const document = object({ name: 'app', 'tag-names': ['Prod', 'prod', 'b'] });
  expect(workspaceFromDocument(document, 'terraform').attributes.tags).toEqual(['b', 'prod']);
  expect(workspaceFromDocument(document, 'iac').attributes.tags).toEqual(['Prod', 'b', 'prod']);
});

test.each([
  ['name', { name: undefined }],
  ['name', { name: '' }],
  ['name', { name: 7 }],
  ['auto-apply', { 'auto-apply': 'yes' }],
  ['description', { description: 7 }],
  ['iac-version', { 'iac-version': 1.1 }],
  ['trigger-patterns', { 'trigger-patterns': 'a' }],
  ['trigger-patterns', { 'trigger-patterns': [1] }],
  ['setting-overwrites.agent-pool', { 'setting-overwrites': { 'agent-pool': 'no' } }],
  ['vcs-repo.branch', { 'vcs-repo': { branch: false } }],
  ['tag-names', { 'tag-names': 'prod' }],
  ['tag-names', { 'tag-names': [null] }],
  ['locked', { locked: 'yes' }],
])('a workspace document with a wrong %s is refused: %j', (member, attributes) => {
  expect(() => workspaceFromDocument(object({ name: 'app', ...attributes }), 'iac')).toThrow(
    `GET /workspaces/x-1: the response is not usable: its ${member} is missing or of another type than the interface gives it`,
  );
});

const held = [
  ...['runs', 'policy-mocks', 'state-versions', 'variables'],
  ...['create', 'locking', 'delete', 'move', 'run-tasks'],
];
const nulls = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));

const ofTeam = { team: to('teams', 'team-1') };
const grant = (attributes: Record<string, unknown>, relationships: Record<string, unknown> = ofTeam) =>
  object(attributes, relationships, 'team-projects');

test('a grant document of a level has the permissions of the table and not those of the answer', () => {
  const document = grant({ access: 'read', 'workspace-access': { runs: 'apply', variables: null } });
  const { attributes, ...resource } = grantFromDocument(document, 'prj-1', 'iac');
  expect(resource).toEqual({
    kind: 'team-access',
    address: 'team-access.prj-1/team-1',
    name: 'prj-1/team-1',
    id: 'x-1',
  });
  expect(attributes).toMatchObject({
    project: 'prj-1',
    team: 'team-1',
    access: 'read',
    'workspace-access.runs': 'read',
    'workspace-access.variables': 'read',
  });
});

test.each([
  ['iac', 'policy-mocks'],
  ['terraform', 'sentinel-mocks'],
] as const)('a grant document of custom access is read in %s', (dialect, mocks) => {
  const permissions = { runs: 'plan', [mocks]: 'read', create: true };
  const document = grant({ access: 'custom', 'workspace-access': permissions });
  const { attributes } = grantFromDocument(document, 'prj-1', dialect);
  expect(attributes).toMatchObject({
    'workspace-access.runs': 'plan',
    'workspace-access.policy-mocks': 'read',
    'workspace-access.create': true,
  });
});

test.each([
  ['no groups', {}],
  ['groups that are null', { 'project-access': null, 'workspace-access': null }],
  ['null', { 'project-access': nulls('settings', 'teams'), 'workspace-access': nulls(...held) }],
])('a grant document of custom access with %s has the lowest permissions', (_name, groups) => {
  const { attributes } = grantFromDocument(grant({ access: 'custom', ...groups }), 'prj-1', 'iac');
  const lowest = 'read none read none none none false false false false false';
  expect(
    neutralPaths
      .map((path) => JSON.stringify(attributes[path]))
      .join(' ')
      .replaceAll('"', ''),
  ).toBe(lowest);
});

test('a permission that the group of a custom grant omits is unknown', () => {
  const document = grant({ access: 'custom', 'workspace-access': { create: true } });
  const { attributes } = grantFromDocument(document, 'prj-1', 'iac');
  expect(attributes['workspace-access.runs']).toBeUndefined();
  expect(attributes).toMatchObject({ 'workspace-access.create': true, 'project-access.teams': 'none' });
});

test('a grant document of another project is refused', () => {
  const document = grant(
    { access: 'read' },
    { team: to('teams', 'team-1'), project: to('projects', 'prj-2') },
  );
  expect(() => grantFromDocument(document, 'prj-1', 'iac')).toThrow(
    'GET /team-projects/x-1: the response is not usable: its project is prj-2, not prj-1',
  );
});

test.each([
  ['team', grant({ access: 'read' }, {})],
  ['team', grant({ access: 'read' }, { team: { data: null } })],
  ['team', grant({ access: 'read' }, { team: { data: { id: '\u0000', type: 'teams' } } })],
  ['access', grant({})],
  ['access', grant({ access: 'owner' })],
  ['workspace-access.runs', grant({ access: 'custom', 'workspace-access': { runs: 3 } })],
])('a grant document without a usable %s is refused', (member, document) => {
  expect(() => grantFromDocument(document, 'prj-1', 'iac')).toThrow(
    `GET /team-projects/x-1: the response is not usable: its ${member} is missing or of another type than the interface gives it`,
  );
});

const shown = (flags: unknown, mode: unknown = 'agent') => {
  const values = { name: 'Shop', 'default-execution-mode': mode, 'setting-overwrites': flags };
  const pool = { 'default-agent-pool': to('agent-pools', 'apool-1') };
  return projectFromDocument(object(values, pool, 'projects')).attributes;
};
const own = { name: 'Shop', 'default-execution-mode': 'agent', 'default-agent-pool': 'apool-1' };
const none = { name: 'Shop', 'default-execution-mode': null, 'default-agent-pool': null };
// What is in effect is that of the organization.
const inherited = { ...none, 'inherited-execution-mode': 'agent', 'inherited-agent-pool': 'apool-1' };

test.each([
  ['the published names', { 'default-execution-mode': true, 'default-agent-pool': true }, own],
  ['the names of workspaces', { 'execution-mode': true, 'agent-pool': true }, own],
  ['both flags false', { 'default-execution-mode': false, 'default-agent-pool': false }, inherited],
  ['no flag', {}, inherited],
  ['no flags at all', undefined, { name: 'Shop' }],
  ['flags that are null', null, { name: 'Shop' }],
])('a project has its own execution mode and pool by setting-overwrites: %s', (_what, flags, expected) => {
  expect(shown(flags)).toEqual(expected);
});

test('a project with another mode than agent has no pool', () => {
  const local = { ...none, 'default-execution-mode': 'local' };
  expect(shown({ 'default-execution-mode': true }, 'local')).toEqual(local);
});

test('a mode that is not a text makes the document unusable', () => {
  expect(() => shown({ 'default-execution-mode': true }, 7)).toThrow(
    'GET /projects/x-1: the response is not usable: its default-execution-mode is missing or of another type than the interface gives it',
  );
});

test('setting-overwrites that no workspace has are not offered', () => {
  const capabilities = createCapabilities();
  const attributes = { 'execution-mode': 'remote' } as const;
  noteMissingFlags({ capabilities }, [
    { kind: 'workspace', address: 'workspace.app', name: 'app', attributes },
  ]);
  expect(capabilities.missing()).toEqual(['setting-overwrites']);
});
