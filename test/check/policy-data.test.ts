import { expect, test } from 'vitest';
import { policyTargets } from '../../src/check/policy-data.ts';
import { readNamesOf, readPolicyNames } from '../../src/check/policy-identity.ts';
import type { Live } from '../../src/live/read-live.ts';
import { NoLookUpError } from '../../src/live/read-names.ts';
import { variesByPlatform } from '../../src/model/attributes.ts';
import type { Plan } from '../../src/model/plan.ts';
import type { Resource, WorkspaceResource } from '../../src/model/state.ts';
import { configured } from '../desired/load-files.ts';
import { updateOfApp as change, emptyLive, emptyPlan } from '../support/empty-plan.ts';

const plan: Plan = {
  ...emptyPlan,
  dialect: 'terraform',
  summary: { create: 0, update: 1, delete: 0, unchanged: 0, calls: 0 },
  changes: [change],
  undeclaredAccess: [],
};
const live: Live = { ...emptyLive, whole: true, scopeWhole: true };

function workspace(
  name: string,
  attributes: WorkspaceResource['attributes'],
  rest: Partial<WorkspaceResource> = {},
): WorkspaceResource {
  return { kind: 'workspace', address: `workspace.${name}`, name, id: `ws-${name}`, attributes, ...rest };
}

/** The data of the declared workspaces, of the resources after a plan. */
async function workspaces(yaml: string, after: readonly Resource[]): Promise<Record<string, unknown>[]> {
  const configuration = await configured(yaml);
  const difference = { changes: [], after };
  const state = { configuration, live, difference, chosen: () => true };
  return policyTargets(plan, state)('workspace').map(({ data }) => data as Record<string, unknown>);
}

test('the changes of the plan are those that policies on changes are evaluated on, computed once', () => {
  const targets = policyTargets(plan, undefined);
  const [data] = targets('plan').map((target) => (target.data as { changes: unknown[] }).changes);
  expect(data).toEqual([
    {
      address: 'workspace.app',
      kind: 'workspace',
      name: 'app',
      action: 'update',
      fields: [],
      calls: [],
      held: [],
      dependsOn: [],
    },
  ]);
  expect(data?.[0]).toBe(targets('change')[0]?.data);
  expect(targets('workspace')).toEqual([]);
});

test('the values of a created workspace come before the documented defaults', async () => {
  const [created] = await workspaces('ssh-keys: {deploy: sshkey-1}\nworkspaces: {app: {}}\n', [
    workspace(
      'app',
      {
        'auto-apply': true,
        tags: ['a'],
        'ssh-key': 'sshkey-1',
        lock: { locked: true },
        'data-retention': { 'dont-delete': true },
        'tag-bindings': { env: 'prod' },
        'remote-state-consumers': ['{workspace.zeta}', 'ws-alpha'],
        'global-remote-state': false,
      },
      { id: '{workspace.app}' },
    ),
  ]);
  expect(created).toMatchObject({
    tags: ['a'],
    sshKey: 'deploy',
    locked: true,
    dataRetention: new Map([['dont-delete', true]]),
    tagBindings: new Map([['env', 'prod']]),
    consumers: ['ws-alpha', 'zeta'],
    attributes: { 'auto-apply': true, 'allow-destroy-plan': true, 'global-remote-state': false },
  });
  expect(created).not.toHaveProperty('id');
  expect(created).not.toHaveProperty('project');
  expect(created?.attributes).not.toHaveProperty('execution-mode');
});

test('settings of a created workspace whose default varies by platform are missing, and with them its consumers', async () => {
  const [created] = await workspaces('workspaces: {app: {}}\n', [
    workspace('app', {}, { id: '{workspace.app}' }),
  ]);
  expect(created?.attributes).toMatchObject({ 'auto-apply': false });
  for (const path of variesByPlatform) expect(created?.attributes).not.toHaveProperty(path);
  expect(created).not.toHaveProperty('consumers');
  expect(created).not.toHaveProperty('consumerProjects');
});

test('values that were not read are missing', async () => {
  const [read] = await workspaces('workspaces: {app: {}}\n', [workspace('app', {})]);
  expect(read).toEqual({
    address: 'workspace.app',
    action: 'none',
    id: 'ws-app',
    name: 'app',
    attributes: {},
    protect: false,
  });
});

test('the projects of consumers are known if all of them were read', async () => {
  const consumers = (of: readonly string[], ...others: readonly Resource[]) =>
    workspaces('projects: {base: prj-1}\nworkspaces: {app: {}}\n', [
      workspace('app', { 'remote-state-consumers': [...of] }),
      ...others,
    ]).then(([one]) => one?.consumerProjects);
  const [web, api] = [workspace('web', { project: 'prj-2' }), workspace('api', { project: 'prj-1' })];
  expect(await consumers(['ws-web', 'ws-api'], web, api)).toEqual(['base', 'prj-2']);
  expect(await consumers(['ws-web', 'ws-gone'], web)).toBeUndefined();
  expect(await consumers([])).toEqual([]);
});

test('the readers through the project are known if all workspaces were read', async () => {
  const shared = (attributes: WorkspaceResource['attributes'], ...others: readonly Resource[]) =>
    workspaces('projects: {base: prj-1}\nworkspaces: {app: {}}\n', [
      workspace('app', { 'project-remote-state': true, ...attributes }),
      ...others,
    ]).then(([one]) => [one?.readers, one?.consumerProjects]);
  const others = [
    workspace('web', { project: 'prj-2' }),
    workspace('api', { project: 'prj-1' }),
    workspace('new', { project: 'prj-1' }, { id: '{workspace.new}' }),
  ];
  expect(await shared({ project: 'prj-1' }, ...others)).toEqual([['api', 'new'], ['base']]);
  expect(await shared({ project: 'prj-2' })).toEqual([[], ['prj-2']]);
  expect(await shared({}, ...others)).toEqual([undefined, undefined]);
  expect(
    await shared({ project: 'prj-1', 'project-remote-state': false, 'global-remote-state': true }, ...others),
  ).toEqual([undefined, undefined]);
  expect(
    await shared(
      { project: 'prj-1', 'project-remote-state': false, 'remote-state-consumers': ['ws-web'] },
      ...others,
    ),
  ).toEqual([['web'], ['prj-2']]);
});

test('a violation of a declared workspace is at its declaration', async () => {
  const configuration = await configured('workspaces:\n  app: {}\n');
  const after = [workspace('app', {})];
  const difference = { changes: [], after };
  const targets = policyTargets(plan, { configuration, live, difference, chosen: () => true });
  expect(targets('workspace').map(({ location }) => location)).toMatchObject([
    { file: 'attune.yaml', line: 4, column: 3 },
  ]);
});

test('the names that policies use are read with key/value tags if the run reads both', async () => {
  const configuration = await configured(
    "policies: [{id: a, on: workspace, require: workspace.projectName != 'x', message: No.}]\n",
  );
  const asked: unknown[] = [];
  const source = {
    names: async (_: string, kind: string, options?: object) => {
      asked.push([kind, options]);
      return [{ id: 'prj-1', name: 'Base' }];
    },
  };
  await readPolicyNames(configuration, source, {});
  expect(await readPolicyNames(configuration, source, { bindings: true })).toEqual(
    new Map([['projects', new Map([['prj-1', 'Base']])]]),
  );
  expect(asked).toEqual([
    ['projects', { bindings: false }],
    ['projects', { bindings: true }],
  ]);
});

test('names that the service does not list are unknown, and another error of their read stays', async () => {
  const unlisted = async () => Promise.reject(new NoLookUpError('teams', 'it lists none'));
  expect(await readNamesOf(['teams'], unlisted)).toEqual(new Map());
  const error = new Error('offline');
  await expect(readNamesOf(['teams'], async () => Promise.reject(error))).rejects.toBe(error);
});
