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

test('the update of a project waits for the changes that it depends on', () => {
  const project: Given = {
    address: 'project.shop',
    kind: 'project',
    id: 'prj-shop',
    dependsOn: ['workspace.app'],
    calls: [callTo('updateProject', { id: 'prj-shop' })],
  };
  const app: Given = {
    address: 'workspace.app',
    id: 'ws-app',
    calls: [callTo('updateWorkspace', { workspace: 'ws-app' })],
  };
  expect(scheduled(project, app)).toEqual([
    ['updateProject project.shop', 'updateWorkspace workspace.app'],
    ['updateWorkspace workspace.app'],
  ]);
});

/** A plan of changes of workspaces in one project; without aliases, the project is its id. */
const inShop = (changes: readonly Given[], aliases: Readonly<Record<string, string>> = {}): Plan => ({
  ...planOf(...changes),
  overview: {
    workspaces: changes.map(({ address, name = address, action = 'update' }) => ({
      name,
      project: name === 'elsewhere' ? 'prj-other' : (Object.keys(aliases)[0] ?? 'prj-shop'),
      action,
      readers: { before: null, after: null },
    })),
    grants: [],
    scope: 'none',
    ...(Object.keys(aliases).length > 0 && { ids: { projects: aliases, teams: {} } }),
  },
});
const shop: Given = {
  address: 'project.shop',
  kind: 'project',
  name: 'shop',
  id: 'prj-shop',
  fields: [
    { path: 'description', before: null, after: 'new' },
    { path: 'auto-destroy-activity-duration', before: '14d', after: '1d' },
  ],
  calls: [callTo('updateProject', { id: 'prj-shop' }), callTo('upsertProjectBindings', { id: 'prj-shop' })],
};
const withFields = (name: string, ...fields: PlannedChange['fields']): Given => ({
  address: `workspace.${name}`,
  name,
  id: `ws-${name}`,
  fields,
  calls: [callTo('updateWorkspace', { workspace: `ws-${name}` })],
});
const duration = { path: 'auto-destroy-activity-duration', before: null, after: '14d' };
const moved = { path: 'project', before: 'prj-other', after: 'prj-shop' };
const waiting = (plan: Plan) =>
  scheduleTasks(plan)
    .filter(({ needs }) => needs.length > 0)
    .map((task) => [shown(task), ...task.needs.map(shown)]);

test('workspaces that begin to inherit the schedule of a project wait for its update', () => {
  const cleared = { ...duration, before: '90d', after: null };
  const description = [{ path: 'description', before: null, after: 'new' }];
  const plan = inShop([
    { ...shop, fields: [...description, cleared] },
    withFields('elsewhere', cleared),
    withFields('app', cleared),
    withFields('timed', { ...cleared, path: 'auto-destroy-at' }),
    // A workspace can have the name of a project.
    withFields('shop', ...description),
    withFields('moved', moved, ...description),
    {
      ...newWorkspace,
      name: 'new',
      action: 'create',
      fields: [moved],
      calls: newWorkspace.calls.slice(0, 1),
    },
  ]);
  const created = planOf(newProject);
  expect(waiting({ ...plan, changes: [...plan.changes, ...created.changes] })).toEqual([
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
  const app: Given = {
    address: 'workspace.app',
    id: 'ws-app',
    // For readers: it does not order the calls of an update.
    dependsOn: ['workspace.new'],
    calls: [
      callTo('updateWorkspace', { workspace: 'ws-app' }),
      callTo(
        'replaceConsumers',
        { workspace: 'ws-app' },
        { values: {}, consumers: { exactly: ['{workspace.new}'] } },
        'iac',
      ),
    ],
  };
  expect(scheduled(app, newWorkspace, newProject)).toEqual([
    ['createProject project.base'],
    ['createWorkspace workspace.new', 'createProject project.base'],
    ['updateWorkspace workspace.app'],
    ['addTags workspace.new', 'createWorkspace workspace.new', 'createWorkspace workspace.new'],
    ['replaceConsumers workspace.app', 'updateWorkspace workspace.app', 'createWorkspace workspace.new'],
    ['lockWorkspace workspace.new', 'addTags workspace.new', 'createWorkspace workspace.new'],
  ]);
});

test('a deletion waits for all calls of the changes that it depends on', () => {
  const gone: Given = {
    address: 'workspace.gone',
    id: 'ws-gone',
    action: 'delete',
    calls: [deletionOf('ws-gone', 'force')],
    dependsOn: ['workspace.app', 'workspace.without-calls'],
  };
  const app: Given = {
    address: 'workspace.app',
    id: 'ws-app',
    calls: [callTo('addTags', { workspace: 'ws-app' }), callTo('removeConsumers', { workspace: 'ws-app' })],
  };
  const oldProject: Given = {
    address: 'project.old',
    id: 'prj-old',
    action: 'delete',
    calls: [callTo('deleteProject', { id: 'prj-old' })],
    dependsOn: ['workspace.gone'],
  };
  expect(scheduled(oldProject, gone, app)).toEqual([
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
  const plan = planOf({
    address: 'workspace.app',
    id: 'ws-app',
    calls: [{ operation: 'updateWorkspace', ...request }],
  });
  expect(() => scheduleTasks(plan)).toThrow(
    expect.objectContaining({
      message: `the plan contains an unknown call: ${request.method} ${request.path}`,
      hint: 'plan again',
    }),
  );
});

test.each([
  ['is not in the plan', []],
  [
    'is only updated',
    [{ address: 'workspace.new', id: 'ws-new', calls: [callTo('addTags', { workspace: 'ws-new' })] }],
  ],
])('a call that needs the id of a workspace that %s is refused', (_, others: readonly Given[]) => {
  const app: Given = {
    address: 'workspace.app',
    id: 'ws-app',
    calls: [
      callTo(
        'addConsumers',
        { workspace: 'ws-app' },
        { values: {}, consumers: { add: ['{workspace.new}'], remove: [] } },
        'iac',
      ),
    ],
  };
  expect(() => scheduleTasks(planOf(app, ...others))).toThrow(
    'workspace.app requires the id of workspace.new, which the plan does not create',
  );
});

test('moves into one project share a request, and no other calls do', () => {
  const tasks = scheduleTasks(
    planOf({
      address: 'workspace.app',
      id: 'ws-app',
      calls: [callTo('updateWorkspace', { workspace: 'ws-app' }), moveOf('ws-app', 'prj-one', 'terraform')],
    }),
  );
  expect(tasks.map(({ call, joint }) => [call.operation, joint])).toEqual([
    ['moveWorkspaces', '/projects/prj-one/relationships/workspaces'],
    ['updateWorkspace', undefined],
  ]);
});
