import { expect, test } from 'vitest';
import type { FieldChange, ProjectChange, WorkspaceChange } from '../../src/model/change.ts';
import type { Value, Values } from '../../src/model/value.ts';
import { endpointOf } from '../../src/plan/operation-endpoints.ts';
import { projectCalls } from '../../src/plan/project-calls.ts';
import { workspaceCalls } from '../../src/plan/workspace-calls.ts';
import { rowsIn } from '../support/rows.ts';

const field = (path: string, after: FieldChange['after'], rest: Partial<FieldChange> = {}): FieldChange => ({
  path,
  before: null,
  after,
  ...rest,
});

function update(
  fields: readonly FieldChange[],
  target: Values = {},
  rest: Partial<WorkspaceChange> = {},
): WorkspaceChange {
  const workspace = { kind: 'workspace', address: 'workspace.app', name: 'app' } as const;
  return {
    ...workspace,
    action: 'update',
    live: { ...workspace, id: 'ws-app', attributes: {} },
    target: { ...workspace, attributes: target },
    fields,
    ...rest,
  };
}

function create(fields: readonly FieldChange[], rest: Partial<WorkspaceChange> = {}): WorkspaceChange {
  const { live: _live, ...change } = update(fields, {}, { action: 'create', ...rest });
  return change;
}

/** The operations of a change, each with the data of its body. */
const calls = (change: WorkspaceChange, dialect: 'iac' | 'terraform' = 'iac') =>
  workspaceCalls(change, 'acme', dialect).map(({ operation, body }) => [
    operation,
    (body as { data?: unknown } | undefined)?.data,
  ]);

/** The attributes of the PATCH of an update. */
const attributesOf = (change: WorkspaceChange, dialect: 'iac' | 'terraform' = 'iac') =>
  calls(change, dialect).map(([, data]) => (data as { attributes: unknown }).attributes);

test('a delete without a mode is safe', () => {
  expect(workspaceCalls(update([], {}, { action: 'delete' }), 'acme', 'iac')).toEqual([
    {
      operation: 'deleteWorkspace',
      method: 'POST',
      path: '/workspaces/ws-app/actions/safe-delete',
      mode: 'safe',
    },
  ]);
  expect(endpointOf({ operation: 'deleteWorkspace' })).toBe('safeDeleteWorkspace');
});

test('a create that reverts a delete recovers the workspace first', () => {
  const recovers = { workspace: 'ws-1', item: 'item-1' };
  const [first, ...others] = workspaceCalls(create([], { recovers }), 'acme', 'terraform');
  expect(first).toEqual({
    operation: 'recoverWorkspace',
    method: 'PUT',
    path: '/recoverable-items/item-1/actions/recover',
    recovers: 'ws-1',
  });
  expect(others.map(({ operation }) => operation)).toEqual(['createWorkspace']);
});

test('a move and a removed repository are sent beside changes with separate calls', () => {
  const tags = field('tags', ['a'], { add: ['a'], remove: [] });
  expect(calls(update([tags, field('project', 'prj-1')]))).toEqual([
    [
      'updateWorkspace',
      {
        type: 'workspaces',
        attributes: {},
        relationships: { project: { data: { type: 'projects', id: 'prj-1' } } },
      },
    ],
    ['addTags', [{ type: 'tags', attributes: { name: 'a' } }]],
  ]);
  expect(calls(update([tags, field('vcs-repo', null)]))[0]).toEqual([
    'updateWorkspace',
    { type: 'workspaces', attributes: { 'vcs-repo': null } },
  ]);
  expect(calls(update([tags])).map(([operation]) => operation)).toEqual(['addTags']);
});

test('a create sends an unknown list of consumers, and no list without entries', () => {
  const path = 'remote-state-consumers';
  const operations = (consumers: FieldChange) => calls(create([consumers])).map(([operation]) => operation);
  expect(operations(field(path, ['ws-a']))).toEqual(['createWorkspace', 'replaceConsumers']);
  expect(operations(field(path, [], { add: [], remove: [] }))).toEqual(['createWorkspace']);
});

test('a create of a terraform service sends tags in its document if there are any', () => {
  const created = (add: readonly string[]) =>
    calls(create([field('tags', [...add], { add, remove: [] })]), 'terraform');
  expect(created(['a'])).toEqual([
    [
      'createWorkspace',
      {
        type: 'workspaces',
        attributes: { name: 'app' },
        relationships: { tags: { data: [{ type: 'tags', attributes: { name: 'a' } }] } },
      },
    ],
  ]);
  expect(created([])).toEqual([['createWorkspace', { type: 'workspaces', attributes: { name: 'app' } }]]);
});

test.each(rowsIn<[string, [string, Value], Values, Values]>`
- [a mode alone if the service returns no flags, [execution-mode, local], {execution-mode: local}, {execution-mode: local}]
- [a mode with its pool and both flags, [execution-mode, agent], {execution-mode: agent, agent-pool-id: apool-1, setting-overwrites.execution-mode: true, setting-overwrites.agent-pool: true}, {execution-mode: agent, agent-pool-id: apool-1, setting-overwrites: {execution-mode: true, agent-pool: true}}]
- [a flag without a pool that is not set, [setting-overwrites.execution-mode, true], {execution-mode: agent, agent-pool-id: null, setting-overwrites.execution-mode: true, setting-overwrites.agent-pool: true}, {execution-mode: agent, setting-overwrites: {execution-mode: true, agent-pool: true}}]
- [the flag of an inherited pool beside an own mode, [setting-overwrites.execution-mode, true], {execution-mode: remote, agent-pool-id: apool-1, setting-overwrites.execution-mode: true, setting-overwrites.agent-pool: false}, {execution-mode: remote, setting-overwrites: {agent-pool: false}}]
`)('the settings of runs that are sent: %s', (_, [path, after], target, expected) => {
  expect(attributesOf(update([field(path, after)], target))).toEqual([expected]);
});

test('an own pool beside an inherited mode is sent with unequal flags to the neutral interface only', () => {
  const flags = { 'setting-overwrites.execution-mode': false, 'setting-overwrites.agent-pool': true };
  const target = { 'execution-mode': 'agent', 'agent-pool-id': 'apool-2', ...flags };
  const pool = update([field('agent-pool-id', 'apool-2')], target);
  expect(attributesOf(pool, 'iac')).toEqual([
    { 'agent-pool-id': 'apool-2', 'setting-overwrites': { 'execution-mode': false, 'agent-pool': true } },
  ]);
  expect(attributesOf(pool, 'terraform')).toEqual([
    { 'agent-pool-id': 'apool-2', 'setting-overwrites': { 'execution-mode': false } },
  ]);
});

test('a project sends its document if one of its settings changes', () => {
  const project = { kind: 'project', address: 'project.base', name: 'base' } as const;
  const change = (fields: readonly FieldChange[]): ProjectChange => ({
    ...project,
    action: 'update',
    live: { ...project, id: 'prj-1', attributes: {} },
    target: { ...project, attributes: {} },
    fields,
    addsBindings: true,
  });
  const bindings = field('tag-bindings', { env: 'prod' });
  const operations = (fields: readonly FieldChange[]) =>
    projectCalls(change(fields), 'acme', 'iac').map(({ operation }) => operation);
  expect(operations([bindings, field('description', 'x')])).toEqual([
    'updateProject',
    'upsertProjectBindings',
  ]);
  expect(operations([bindings])).toEqual(['upsertProjectBindings']);
  expect(operations([field('description', 'x')])).toEqual(['updateProject']);
});
