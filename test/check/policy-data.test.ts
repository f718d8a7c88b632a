import { expect, test } from 'vitest';
import { policyTargets } from '../../src/check/policy-data.ts';
import { readPolicyNames } from '../../src/check/policy-identity.ts';
import type { Difference } from '../../src/diff/diff.ts';
import type { LiveSource } from '../../src/live/read-live.ts';
import { NoLookUpError } from '../../src/live/read-names.ts';
import type { Plan } from '../../src/model/plan.ts';
import type { WorkspaceResource } from '../../src/model/state.ts';
import { configured } from '../desired/load-files.ts';
import { updateOfApp as change, emptyLive, emptyPlan } from '../support/empty-plan.ts';
import { rowsIn } from '../support/rows.ts';

const plan: Plan = { ...emptyPlan, dialect: 'terraform', changes: [change] };

/** The targets for the declared workspace `app`, with other workspaces by name: an id in braces is new. */
async function targetsOf(
  attributes: WorkspaceResource['attributes'],
  others: Readonly<Record<string, WorkspaceResource['attributes']>> = {},
) {
  const configuration = await configured(
    'projects: {base: prj-1}\nssh-keys: {deploy: sshkey-1}\nworkspaces:\n  app: {}\n',
  );
  const after = Object.entries({ app: attributes, ...others }).map(
    ([name, { id = `ws-${name}`, ...values }]) => ({
      ...({ kind: 'workspace', address: `workspace.${name}`, name } as const),
      ...{ id: String(id), attributes: values as WorkspaceResource['attributes'] },
    }),
  );
  const difference = { changes: [], after } as unknown as Difference;
  const live = { ...emptyLive, whole: true };
  return policyTargets(plan, { configuration, live, difference, chosen: () => true })('workspace');
}

const dataOf = async (...given: Parameters<typeof targetsOf>) =>
  (await targetsOf(...given))[0]?.data as Readonly<Record<string, unknown>>;

test('the changes of the plan are those that policies on changes are evaluated on, computed once', () => {
  const targets = policyTargets(plan, undefined);
  const [data] = targets('plan').map((target) => (target.data as { changes: unknown[] }).changes);
  const { kind, address, name, action } = change;
  expect(data).toEqual([{ kind, address, name, action, fields: [], calls: [], held: [], dependsOn: [] }]);
  expect(data?.[0]).toBe(targets('change')[0]?.data);
  expect(targets('workspace')).toEqual([]);
});

test('the values of a created workspace come before the documented defaults', async () => {
  const created = await dataOf({
    ...{
      id: '{workspace.app}',
      'auto-apply': true,
      tags: ['a'],
      'ssh-key': 'sshkey-1',
      lock: { locked: true },
    },
    ...{ 'data-retention': { 'dont-delete': true }, 'tag-bindings': { env: 'prod' } },
    ...{ 'remote-state-consumers': ['{workspace.zeta}', 'ws-alpha'], 'global-remote-state': false },
  });
  expect(created).toMatchObject({
    ...{ tags: ['a'], sshKey: 'deploy', locked: true, consumers: ['ws-alpha', 'zeta'] },
    ...{ dataRetention: new Map([['dont-delete', true]]), tagBindings: new Map([['env', 'prod']]) },
    attributes: { 'auto-apply': true, 'allow-destroy-plan': true, 'global-remote-state': false },
  });
  for (const missing of ['id', 'project']) expect(created).not.toHaveProperty(missing);
  expect(created.attributes).not.toHaveProperty('execution-mode');
});

test('values that were not read are missing, and a violation is at the declaration', async () => {
  const [target] = await targetsOf({});
  const about = { address: 'workspace.app', action: 'none', id: 'ws-app', name: 'app' };
  expect(target?.data).toEqual({ ...about, attributes: {}, protect: false });
  expect(target?.location).toMatchObject({ file: 'attune.yaml', line: 6, column: 3 });
});

const others = {
  web: { project: 'prj-2' },
  api: { project: 'prj-1' },
  new: { id: '{workspace.new}', project: 'prj-1' },
};

test.each(rowsIn<[object, unknown, unknown]>`
- [{remote-state-consumers: [ws-web, ws-api]}, [api, web], [base, prj-2]]
- [{remote-state-consumers: [ws-web, ws-gone]}, [web, ws-gone], ~]
- [{remote-state-consumers: []}, [], []]
- [{project-remote-state: true, project: prj-1}, [api, new], [base]]
- [{project-remote-state: true, project: prj-3}, [], [prj-3]]
- [{project-remote-state: true}, ~, ~]
- [{project: prj-1, global-remote-state: true}, ~, ~]
- [{project: prj-1, project-remote-state: false, remote-state-consumers: [ws-web]}, [web], [prj-2]]
`)('the readers of a workspace with %j and their projects', async (attributes, readers, projects) => {
  const data = await dataOf(attributes as WorkspaceResource['attributes'], others);
  expect([data.readers, data.consumerProjects]).toEqual([readers ?? undefined, projects ?? undefined]);
});

test('the names that policies use are read, with key/value tags if the run reads both', async () => {
  const configuration = await configured(
    "policies: [{id: a, on: workspace, require: workspace.projectName != 'x', message: No.}]\n",
  );
  const asked: unknown[] = [];
  const names: LiveSource['names'] = async (_, kind, options) => {
    asked.push([kind, options]);
    return [{ id: 'prj-1', name: 'Base' }];
  };
  await readPolicyNames(configuration, { names });
  const found = await readPolicyNames(configuration, { names }, { bindings: true });
  expect(found).toEqual(new Map([['projects', new Map([['prj-1', 'Base']])]]));
  expect(asked).toEqual([false, true].map((bindings) => ['projects', { bindings }]));
  const failing = (error: Error) =>
    readPolicyNames(configuration, { names: async () => Promise.reject(error) });
  expect(await failing(new NoLookUpError('projects', 'it lists none'))).toEqual(new Map());
  const error = new Error('offline');
  await expect(failing(error)).rejects.toBe(error);
});
