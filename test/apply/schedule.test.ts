import { expect, test } from 'vitest';
import { scheduleTasks, type Task } from '../../src/apply/schedule.ts';
import type { Plan, PlannedChange } from '../../src/model/plan.ts';
import { callTo, deletionOf, moveOf } from '../../src/plan/operation-endpoints.ts';
import { emptyPlan } from '../support/empty-plan.ts';

type Given = Pick<PlannedChange, 'address' | 'calls'> & Partial<PlannedChange>;

function planOf(...changes: readonly Given[]): Plan {
  return {
    ...emptyPlan,
    changes: changes.map((change) => ({
      kind: 'workspace',
      name: change.address,
      action: 'update',
      fields: [],
      dependsOn: [],
      ...change,
    })),
  };
}

const shown = ({ change, call }: Task) => `${call.operation} ${change.address}`;

/** Each task with the tasks that it waits for. */
const scheduled = (...changes: readonly Given[]) =>
  scheduleTasks(planOf(...changes)).map((task) => [shown(task), ...task.needs.map(shown)]);

/** A change of a workspace with calls to it by their operations. */
function workspace(
  name: string,
  operations: readonly ('updateWorkspace' | 'addTags' | 'removeConsumers' | 'lockWorkspace')[],
  rest: Partial<PlannedChange> = {},
): Given {
  const id = `ws-${name}`;
  const calls = operations.map((operation) => callTo(operation, { workspace: id }));
  return { address: `workspace.${name}`, name, id, calls, ...rest };
}

const newProject: Given = {
  address: 'project.base',
  calls: [callTo('createProject', { organization: 'acme' })],
};
const newWorkspace: Given = {
  address: 'workspace.new',
  calls: [
    callTo('createWorkspace', { organization: 'acme' }, { values: { project: '{project.base}' } }, 'iac'),
    callTo('addTags', { workspace: '{workspace.new}' }),
    callTo('lockWorkspace', { workspace: '{workspace.new}' }),
  ],
};
const consumersOfApp = { values: {}, consumers: { exactly: ['{workspace.new}'] } };
const sharing = callTo('replaceConsumers', { workspace: 'ws-app' }, consumersOfApp, 'iac');

const shop: Given = {
  ...{ address: 'project.shop', kind: 'project', name: 'shop', id: 'prj-shop' },
  fields: [
    { path: 'description', before: null, after: 'new' },
    { path: 'auto-destroy-activity-duration', before: '14d', after: '1d' },
  ],
  calls: [callTo('updateProject', { id: 'prj-shop' }), callTo('upsertProjectBindings', { id: 'prj-shop' })],
};

test('the update of a project waits for the changes that it depends on', () => {
  const project = { ...shop, dependsOn: ['workspace.app'], calls: shop.calls.slice(0, 1) };
  expect(scheduled(project, workspace('app', ['updateWorkspace']))).toEqual([
    ['updateProject project.shop', 'updateWorkspace workspace.app'],
    ['updateWorkspace workspace.app'],
  ]);
});

test('a change of access waits for all that it depends on if access is among it, and else for none of it', () => {
  const access = (team: string, dependsOn: readonly string[]): Given => ({
    ...{ address: `team-access.prj-1/${team}`, kind: 'team-access', id: `tprj-${team}`, dependsOn },
    calls: [callTo('updateGrant', { id: `tprj-${team}` })],
  });
  const given = access('given', ['workspace.app']);
  const taken = access('taken', ['workspace.app', given.address]);
  const lowered = 'updateGrant team-access.prj-1/given';
  expect(scheduled(workspace('app', ['lockWorkspace']), given, taken)).toEqual([
    [lowered],
    ['updateGrant team-access.prj-1/taken', 'lockWorkspace workspace.app', lowered],
    ['lockWorkspace workspace.app'],
  ]);
});

/** A plan of changes of workspaces in one project. */
const inShop = (changes: readonly Given[]): Plan => ({
  ...planOf(...changes),
  overview: {
    workspaces: changes.map(({ address, name = address, action = 'update' }) => ({
      ...{ name, action, project: name === 'elsewhere' ? 'prj-other' : 'prj-shop' },
      readers: { before: null, after: null },
    })),
    ...{ grants: [], scope: 'none' },
  },
});
const withFields = (name: string, ...fields: PlannedChange['fields']) =>
  workspace(name, ['updateWorkspace'], { fields });
const moved = { path: 'project', before: 'prj-other', after: 'prj-shop' };
const waiting = (plan: Plan) =>
  scheduleTasks(plan)
    .filter(({ needs }) => needs.length > 0)
    .map((task) => [shown(task), ...task.needs.map(shown)]);

test('workspaces that begin to inherit the schedule of a project wait for its update', () => {
  const cleared = { path: 'auto-destroy-activity-duration', before: '90d', after: null };
  const description = { path: 'description', before: null, after: 'new' };
  const created = { name: 'new', action: 'create', fields: [moved] } as const;
  const plan = inShop([
    { ...shop, fields: [description, cleared] },
    withFields('elsewhere', cleared),
    withFields('app', cleared),
    withFields('timed', { ...cleared, path: 'auto-destroy-at' }),
    withFields('own', moved, { ...cleared, after: '30d' }),
    // A workspace can have the name of a project.
    withFields('shop', description),
    withFields('moved', moved, description),
    { ...newWorkspace, ...created, calls: newWorkspace.calls.slice(0, 1) },
  ]);
  const changes = [...plan.changes, ...planOf(newProject).changes];
  expect(waiting({ ...plan, changes })).toEqual([
    ['upsertProjectBindings project.shop', 'updateProject project.shop'],
    ['createWorkspace workspace.new', 'createProject project.base'],
    ['updateWorkspace workspace.app', 'updateProject project.shop'],
    ['updateWorkspace workspace.timed', 'updateProject project.shop'],
    ['updateWorkspace workspace.moved', 'updateProject project.shop'],
  ]);
});

test('a workspace does not wait for an update of its new project that leaves the schedule alone', () => {
  const renamed = { ...shop, fields: shop.fields?.slice(0, 1) ?? [], calls: shop.calls.slice(0, 1) };
  expect(waiting(inShop([renamed, withFields('moved', moved)]))).toEqual([]);
});

test('a call waits for the call before it in its change and for the creation of each resource whose id it needs', () => {
  const { calls, ...app } = workspace('app', ['updateWorkspace']);
  // The dependency is for readers: it does not order the calls of an update.
  const update = { ...app, dependsOn: ['workspace.new'], calls: [...calls, sharing] };
  expect(scheduled(update, newWorkspace, newProject)).toEqual([
    ['createProject project.base'],
    ['createWorkspace workspace.new', 'createProject project.base'],
    ['updateWorkspace workspace.app'],
    ['addTags workspace.new', 'createWorkspace workspace.new', 'createWorkspace workspace.new'],
    ['replaceConsumers workspace.app', 'updateWorkspace workspace.app', 'createWorkspace workspace.new'],
    ['lockWorkspace workspace.new', 'addTags workspace.new', 'createWorkspace workspace.new'],
  ]);
});

test('a deletion waits for all calls of the changes that it depends on', () => {
  const gone = workspace('gone', [], {
    ...{ action: 'delete', calls: [deletionOf('ws-gone', 'force')] },
    dependsOn: ['workspace.app', 'workspace.without-calls'],
  });
  const oldProject: Given = {
    ...{ address: 'project.old', id: 'prj-old', action: 'delete', dependsOn: ['workspace.gone'] },
    calls: [callTo('deleteProject', { id: 'prj-old' })],
  };
  expect(scheduled(oldProject, gone, workspace('app', ['addTags', 'removeConsumers']))).toEqual([
    ['addTags workspace.app'],
    ['removeConsumers workspace.app', 'addTags workspace.app'],
    ['deleteWorkspace workspace.gone', 'addTags workspace.app', 'removeConsumers workspace.app'],
    ['deleteProject project.old', 'deleteWorkspace workspace.gone'],
  ]);
});

test.each([
  ['method', { method: 'POST', path: '/workspaces/ws-app' }],
  ['path', { method: 'PATCH', path: '/workspaces/ws-other' }],
] as const)('a call whose %s is not that of its operation is refused', (_, request) => {
  const plan = planOf(workspace('app', [], { calls: [{ operation: 'updateWorkspace', ...request }] }));
  const message = `the plan contains an unknown call: ${request.method} ${request.path}`;
  expect(() => scheduleTasks(plan)).toThrow(expect.objectContaining({ message, hint: 'plan again' }));
});

test.each([
  ['is not in the plan', []],
  ['is only updated', [workspace('new', ['addTags'])]],
])('a call that needs the id of a workspace that %s is refused', (_, others) => {
  expect(() => scheduleTasks(planOf(workspace('app', [], { calls: [sharing] }), ...others))).toThrow(
    'workspace.app requires the id of workspace.new, which the plan does not create',
  );
});

test('moves into one project share a request, and no other calls do', () => {
  const { calls, ...app } = workspace('app', ['updateWorkspace']);
  const tasks = scheduleTasks(
    planOf({ ...app, calls: [...calls, moveOf('ws-app', 'prj-one', 'terraform')] }),
  );
  expect(tasks.map(({ call, joint }) => [call.operation, joint])).toEqual([
    ['moveWorkspaces', '/projects/prj-one/relationships/workspaces'],
    ['updateWorkspace', undefined],
  ]);
});
