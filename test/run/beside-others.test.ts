import { expect, test } from 'vitest';
import type { Configuration } from '../../src/model/configuration.ts';
import type { Plan, PlannedChange } from '../../src/model/plan.ts';
import {
  besideOthers,
  changedElsewhere,
  comparedKinds,
  dependsOnOthers,
} from '../../src/run/beside-others.ts';
import { configured } from '../desired/load-files.ts';
import { emptyPlan } from '../support/empty-plan.ts';

const ofOther = (yaml: string) => configured({ 'attune.yaml': `attune: 1\norganization: other\n${yaml}` });

function planOf(changes: readonly Partial<PlannedChange>[], unmanaged: readonly string[] = []): Plan {
  return {
    ...emptyPlan,
    changes: changes.map((change) => ({
      address: 'workspace.app',
      kind: 'workspace',
      name: 'app',
      action: 'delete',
      fields: [],
      calls: [],
      dependsOn: [],
      ...change,
    })),
    unmanaged,
    diagnostics: [{ severity: 'note', code: 'own', message: 'own' }],
  };
}

const nothing = planOf([]);
const location = { file: 'attune.yaml', line: 3, column: 3 };
const pruning = planOf(
  [
    { address: 'workspace.app' },
    { address: 'workspace.App-2' },
    { address: 'workspace.former' },
    { address: 'workspace.own' },
    { address: 'workspace.web', action: 'update' },
    { address: 'workspace.web', location },
    { address: 'team-access.base/sre', kind: 'team-access', facts: { project: 'prj-1', team: 'team-sre' } },
    { address: 'team-access.base/dev', kind: 'team-access', facts: { project: 'prj-1', team: 'team-dev' } },
    { address: 'project.base', kind: 'project', id: 'prj-base' },
    { address: 'project.new', kind: 'project' },
  ],
  ['workspace.Web', 'workspace.free'],
);
const declaring = `
projects: {base: {id: prj-base, name: Base, manage: true}, fresh: {name: Fresh, manage: true}}
workspaces: {app: {}, app-2: {}, renamed: {renamed-from: former}, web: {}}
team-access: {prj-1: {team-sre: read}}
`;

test('it is an error to prune what another root file of the organization declares', async () => {
  const one = { configuration: await configured('workspaces: {own: {}}\n'), plan: pruning };
  const other = { configuration: await configured(declaring), plan: nothing };
  const [checked, unchanged] = besideOthers([one, other]);
  const { plan } = checked ?? one;
  expect(plan.unmanaged).toEqual(['workspace.free']);
  expect(plan.diagnostics.map(({ code, address, hint }) => [code, address, hint])).toEqual([
    ['own', undefined, undefined],
    ...[
      ['workspace.app', 'narrow the scope, or declare everything that is pruned together in one root file'],
      ['workspace.App-2', 'narrow the scope, or declare everything that is pruned together in one root file'],
      [
        'workspace.former',
        'narrow the scope, or declare everything that is pruned together in one root file',
      ],
      [
        'team-access.base/sre',
        'set prune.team-access to false, or declare all access to the project in one root file',
      ],
      ['project.base', 'manage the project in one root file'],
    ].map(([address, hint]) => ['pruned-elsewhere', address, hint]),
  ]);
  expect(plan.diagnostics[1]).toEqual({
    severity: 'error',
    code: 'pruned-elsewhere',
    message: 'workspace.app would be pruned, but another root file of this run declares it',
    address: 'workspace.app',
    hint: 'narrow the scope, or declare everything that is pruned together in one root file',
  });
  expect(unchanged).toEqual(other);
});

test('an undeclared grant that another root file declares under other aliases is not reported, and one of both is reported once', async () => {
  const grants = ['sre', 'dev'].map((team) => ({
    address: `team-access.shown/${team}`,
    projectId: 'prj-1',
    teamId: `team-${team}`,
    access: 'read' as const,
    hint: 'declare it',
  }));
  const plan = {
    ...planOf(
      [],
      grants.map(({ address }) => address),
    ),
    undeclaredAccess: grants,
  };
  const [one, other, elsewhere] = [
    { configuration: await configured(declaring), plan },
    { configuration: await configured('team-access: {prj-1: {}}\n'), plan },
    { configuration: await ofOther('team-access: {prj-1: {}}\n'), plan },
  ];
  const reported = besideOthers([one, other, elsewhere]).map((root) => [
    root.plan.unmanaged,
    root.plan.undeclaredAccess?.map(({ teamId }) => teamId),
  ]);
  expect(reported).toEqual([
    [
      ['team-access.shown/sre', 'team-access.shown/dev'],
      ['team-sre', 'team-dev'],
    ],
    [[], undefined],
    [
      ['team-access.shown/sre', 'team-access.shown/dev'],
      ['team-sre', 'team-dev'],
    ],
  ]);
  const reversed = besideOthers([other, one]).map(({ plan: { unmanaged, undeclaredAccess } }) => [
    unmanaged,
    undeclaredAccess?.map(({ teamId }) => teamId),
  ]);
  expect(reversed).toEqual([
    [['team-access.shown/dev'], ['team-dev']],
    [[], undefined],
  ]);
});

test('a consumer that another root file of the organization renames is a warning', async () => {
  const lists =
    'workspaces: {own: {remote-state-consumers: [old, app]}, more: {remote-state-consumers: {add: [old]}}}\n';
  const one = { configuration: await configured(lists), plan: nothing };
  const renaming = (sent: Partial<PlannedChange> = {}) =>
    planOf([
      { name: 'new', action: 'update', fields: [{ path: 'name', before: 'old', after: 'new' }], ...sent },
    ]);
  const other = {
    configuration: await configured('workspaces: {new: {renamed-from: old}}\n'),
    plan: renaming(),
  };
  const [checked] = besideOthers([one, other]);
  expect(checked?.plan.diagnostics.slice(1).map(({ address, hint }) => [address, hint])).toEqual([
    ['workspace.own', 'after the apply, write "new"'],
    ['workspace.more', 'after the apply, write "new"'],
  ]);
  expect(checked?.plan.diagnostics[1]).toMatchObject({
    severity: 'warning',
    code: 'former-name',
    message:
      '"old" is renamed to "new" by another root file: the next plan does not find this consumer by its former name',
    location: { line: 3 },
  });
  const held = {
    ...other,
    plan: renaming({ held: [{ by: 'freeze', reason: 'audit', until: '2026-12-01' }] }),
  };
  const elsewhere = { ...other, configuration: await ofOther(declaring) };
  for (const beside of [held, elsewhere])
    expect(besideOthers([one, beside])[0]?.plan.diagnostics).toHaveLength(1);
});

test('a plan alone, or beside another organization or an empty file, is not changed', async () => {
  const one = { configuration: await configured('workspaces: {own: {}}\n'), plan: pruning };
  const elsewhere = { configuration: await ofOther(declaring), plan: nothing };
  const empty = { configuration: await configured('workspaces: {}\n'), plan: nothing };
  for (const planned of [[one], [one, elsewhere], [one, empty]]) expect(besideOthers(planned)[0]).toBe(one);
  expect(besideOthers([empty, one])[1]).toBe(one);
});

test('grants are compared with another root file of the organization that declares or prunes grants', async () => {
  const one = await configured(declaring);
  const granting = await configured(declaring);
  const pruner = await configured('prune: {team-access: true}\nteam-access: {prj-1: {}}\n');
  const without = await configured('workspaces: {app: {}}\n');
  const elsewhere = await ofOther(declaring);
  const compared = (others: readonly Configuration[], only?: readonly string[]) =>
    comparedKinds(one, [one, ...others], only).has('team-access');
  expect([granting, pruner, without, elsewhere].map((other) => compared([other]))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(compared([])).toBe(false);
  expect(compared([without, granting])).toBe(true);
  expect(compared([granting], ['workspace.app', 'project.base'])).toBe(false);
  expect(compared([granting], ['workspace.app', 'team-access.*'])).toBe(true);
});

test('managed projects are compared with another root file if the run looks at one of them', async () => {
  const one = await configured('workspaces: {app: {}}\n');
  const managing = await configured(declaring);
  const referring = await configured('projects: {base: {name: Base}}\n');
  const compared = (here: Configuration, other: Configuration, only?: readonly string[]) =>
    comparedKinds(here, [here, other], only).has('project');
  expect(compared(one, managing)).toBe(true);
  expect(compared(managing, managing)).toBe(false);
  expect(compared(managing, one)).toBe(false);
  expect(compared(one, referring)).toBe(false);
  expect(compared(one, managing, ['project.base'])).toBe(true);
  expect(compared(one, managing, [])).toBe(true);
  expect(compared(one, managing, ['workspace.app', 'project.base'])).toBe(true);
  expect([...comparedKinds(one, [one, referring], undefined)]).toEqual([]);
  expect(compared(one, managing, ['workspace.*', 'team-access.*'])).toBe(false);
  expect(compared(await configured(declaring), managing, ['project.fresh'])).toBe(true);
});

test('the workspaces that plans of other root files of the organization delete are known by their ids', async () => {
  const own = await configured('workspaces: {app: {}}\n');
  const change = (name: string, more: Partial<PlannedChange> = {}) => ({
    address: `workspace.${name}`,
    name,
    id: `ws-${name}`,
    ...more,
  });
  const plan = planOf([
    change('app'),
    change('old'),
    change('web', { action: 'update' }),
    change('kept', {
      held: [{ reason: 'freeze', message: 'launch' }] as unknown as PlannedChange['held'] & object,
    }),
    change('base', { address: 'project.base', kind: 'project' }),
    { address: 'workspace.unread', name: 'unread' },
  ]);
  const elsewhere = planOf([change('foreign')]);
  const others = [
    { configuration: await configured('workspaces: {web: {}}\n'), plan },
    { configuration: await ofOther('workspaces: {}\n'), plan: elsewhere },
  ];
  expect(changedElsewhere(own, others).deleted).toEqual(new Map([['ws-old', 'old']]));
});

test('a plan depends on the delete of a workspace if a declared list of consumers selects it, by name, id or selector', async () => {
  const lists = async (consumers: string, after: readonly string[] | '*' | null = ['web', 'old']) => {
    const workspace = { id: null, action: null, project: null };
    const workspaces = [
      { ...workspace, name: 'undeclared', readers: { before: null, after: ['old'] } },
      { ...workspace, name: 'app', readers: { before: null, after } },
      { ...workspace, name: 'web', readers: { before: null, after: [] } },
    ];
    const plan = { ...emptyPlan, overview: { ...emptyPlan.overview, workspaces } } as Plan;
    const configuration = await configured(`workspaces: {web: {}, app: {${consumers}}}\n`);
    return dependsOnOthers(configuration, plan, {
      deleted: new Map([['ws-old', 'old']]),
      rescheduled: new Set(),
    });
  };
  expect(await lists('remote-state-consumers: [web, old]')).toBe(true);
  expect(await lists('remote-state-consumers: [web, ws-old]')).toBe(true);
  expect(await lists('remote-state-consumers: [{tag: prod}, web]')).toBe(true);
  expect(await lists('remote-state-consumers: {add: [web, old]}')).toBe(true);
  expect(await lists('remote-state-consumers: {add: [web], remove: [other]}')).toBe(false);
  expect(await lists('remote-state-consumers: [web]')).toBe(false);
  expect(await lists('')).toBe(false);
  for (const after of [['web'], '*', null] as const)
    expect(await lists('remote-state-consumers: [web, old]', after)).toBe(false);
});
