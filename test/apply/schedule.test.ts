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

test('a destroy schedule of a project waits for workspaces of other plans that get their own instead of it', () => {
  const project: Given = {
    address: 'project.shop',
    kind: 'project',
    id: 'prj-shop',
    fields: [{ path: 'auto-destroy-activity-duration', before: '14d', after: '1d' }],
    calls: [callTo('updateProject', { id: 'prj-shop' })],
  };
  const workspace = (name: string, after: string | null): Given => ({
    address: `workspace.${name}`,
    name,
    id: `ws-${name}`,
    fields: [{ path: 'auto-destroy-activity-duration', before: null, after }],
    calls: [callTo('updateWorkspace', { workspace: `ws-${name}` })],
  });
  const inProject = (name: string, alias: string) => ({
    name,
    project: alias,
    action: 'update' as const,
    readers: { before: null, after: null },
  });
  const others: Plan = {
    ...planOf(workspace('app', '14d'), workspace('cleared', null), workspace('elsewhere', '14d')),
    overview: {
      workspaces: [
        inProject('app', 'shop'),
        inProject('cleared', 'shop'),
        inProject('elsewhere', 'prj-other'),
      ],
      grants: [],
      scope: 'none',
      ids: { projects: { shop: 'prj-shop' }, teams: {} },
    },
  };
  const [update] = scheduleTasks(planOf(project), others);
  expect([update, ...(update?.needs ?? [])].map((task) => task && shown(task))).toEqual([
    'updateProject project.shop',
    'updateWorkspace workspace.app',
  ]);
});

test('a deletion waits for changes of other plans whose lists of consumers lose the workspace', () => {
  const list = (name: string, remove: readonly string[]): Given => ({
    address: `workspace.${name}`,
    name,
    id: `ws-${name}`,
    fields: [{ path: 'remote-state-consumers', before: null, after: null, remove }],
    calls: [callTo('addTags', { workspace: `ws-${name}` })],
  });
  const gone: Given = {
    address: 'workspace.gone',
    name: 'gone',
    id: 'ws-gone',
    action: 'delete',
    calls: [deletionOf('ws-gone', 'safe')],
  };
  const tasks = scheduleTasks(planOf(gone), planOf(list('net', ['gone']), list('other', ['app'])));
  expect(tasks.map((task) => [shown(task), ...task.needs.map(shown)])).toEqual([
    ['addTags workspace.net'],
    ['addTags workspace.other'],
    ['deleteWorkspace workspace.gone', 'addTags workspace.net'],
  ]);
});

test('workspaces that begin to inherit the schedule of a project wait for its update, also those of other plans', () => {
  const project: Given = {
    address: 'project.shop',
    kind: 'project',
    id: 'prj-shop',
    fields: [{ path: 'auto-destroy-activity-duration', before: '1h', after: '90d' }],
    calls: [callTo('updateProject', { id: 'prj-shop' })],
  };
  const workspace = (name: string, path: string, after: string | null): Given => ({
    address: `workspace.${name}`,
    name,
    id: `ws-${name}`,
    fields: [{ path, before: '90d', after }],
    calls: [callTo('updateWorkspace', { workspace: `ws-${name}` })],
  });
  const inShop = (...changes: readonly Given[]): Plan => ({
    ...planOf(...changes),
    overview: {
      workspaces: changes.map(({ address, name = address }) => ({
        name,
        project: 'shop',
        action: 'update',
        readers: { before: null, after: null },
      })),
      grants: [],
      scope: 'none',
      ids: { projects: { shop: 'prj-shop' }, teams: {} },
    },
  });
  const own = inShop(project, workspace('app', 'auto-destroy-activity-duration', null));
  const other = inShop(
    workspace('reset', 'auto-destroy-activity-duration', null),
    workspace('moved', 'project', 'prj-shop'),
    workspace('renamed', 'description', 'new'),
  );
  const waiting = scheduleTasks(own, other).filter(({ needs }) => needs.length > 0);
  expect(waiting.map((task) => [shown(task), ...task.needs.map(shown)])).toEqual([
    ['updateWorkspace workspace.app', 'updateProject project.shop'],
    ['updateWorkspace workspace.reset', 'updateProject project.shop'],
    ['updateWorkspace workspace.moved', 'updateProject project.shop'],
  ]);
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

test('calls of one operation keep the order of the plan', () => {
  const tagged = (name: string): Given => ({
    address: `workspace.${name}`,
    id: `ws-${name}`,
    calls: [callTo('addTags', { workspace: `ws-${name}` })],
  });
  expect(scheduled(tagged('b'), tagged('c'), tagged('a'))).toEqual([
    ['addTags workspace.b'],
    ['addTags workspace.c'],
    ['addTags workspace.a'],
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
