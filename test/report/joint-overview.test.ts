import { expect, test } from 'vitest';
import type { GrantOverview, Overview, OverviewIds, Plan, WorkspaceOverview } from '../../src/model/plan.ts';
import { accessView } from '../../src/report/access-view.ts';
import { joinOverviews } from '../../src/report/joint-overview.ts';
import { largePlan } from './fixtures/large-plan.ts';

type Readers = WorkspaceOverview['readers']['before'];

const workspace = (
  name: string,
  before: Readers,
  after: Readers = before,
  more: Partial<WorkspaceOverview> = {},
): WorkspaceOverview => ({ name, action: null, project: 'core', readers: { before, after }, ...more });

const grant = (project: string, team: string, before: 'read' | null, after: 'read' | null): GrantOverview => {
  const state = (access: 'read' | null) => access && { access, permissions: {} };
  return { project, team, before: state(before), after: state(after) };
};

function planOf(overview: Partial<Overview>, renames: Readonly<Record<string, string>> = {}): Plan {
  const changes = Object.entries(renames).map(([before, after]) => ({
    ...(largePlan({ update: 1 }).changes[0] as Plan['changes'][number]),
    name: after,
    fields: [{ path: 'name', before, after }],
  }));
  return { ...largePlan({}), changes, overview: { workspaces: [], grants: [], scope: 'none', ...overview } };
}

const ids = (projects: Record<string, string>, teams: Record<string, string> = {}): OverviewIds => ({
  projects,
  teams,
});

test.each([
  ['first', 0],
  ['second', 1],
])(
  'a workspace that two root files have read has the change of the one that changes it, if that is the %s',
  (_, first) => {
    const changing = planOf({ workspaces: [workspace('a', ['b'], ['b', 'c'], { action: 'update' })] });
    const reading = planOf({ workspaces: [workspace('a', ['b']), workspace('z', [])] });
    const plans = first === 0 ? [changing, reading] : [reading, changing];
    expect(joinOverviews(plans).workspaces).toEqual([
      workspace('a', ['b'], ['b', 'c'], { action: 'update' }),
      workspace('z', []),
    ]);
  },
);

test('readers that one root file has read are known although another one has not read them', () => {
  const plans = [
    planOf({ workspaces: [workspace('a', null)] }),
    planOf({ workspaces: [workspace('a', ['b'])] }),
  ];
  expect(joinOverviews(plans).workspaces).toEqual([workspace('a', ['b'])]);
});

test('a workspace that one root file renames has its new name in what the others have read', () => {
  const plans = [
    planOf({ workspaces: [workspace('new', [], [], { action: 'update' })] }, { old: 'new' }),
    planOf({ workspaces: [workspace('a', ['old']), workspace('old', [])] }),
  ];
  expect(joinOverviews(plans).workspaces).toEqual([
    workspace('a', ['new']),
    workspace('new', [], [], { action: 'update' }),
  ]);
});

test('two root files that exchange the names of workspaces keep them', () => {
  const plans = [planOf({ workspaces: [workspace('a', ['b'])] }, { a: 'b', b: 'a' }), planOf({})];
  expect(joinOverviews(plans).workspaces).toEqual([workspace('a', ['b'])]);
});

test('state access that root files report has the names of all of them', () => {
  const stateAccess = (workspace: string, gains: string[], loses: string[]) => ({
    effects: { stateAccess: [{ workspace, gains, loses }], moves: [] },
  });
  const plans = [
    {
      ...planOf({ ids: ids({ pay: 'prj-1', Payments: 'prj-1' }) }, { old: 'new' }),
      ...stateAccess('a', ['pay/*'], ['b']),
    },
    { ...planOf({}), ...stateAccess('a', ['old'], ['b']) },
  ];
  expect(joinOverviews(plans).stateAccess).toEqual([
    { workspace: 'a', gains: ['Payments/*', 'new'], loses: ['b'] },
  ]);
});

test('a project and a team that root files call differently are one in the access matrix', () => {
  const plans = [
    planOf({
      grants: [grant('pay', 'ops', 'read', null)],
      projects: ['pay'],
      ids: ids({ pay: 'prj-1' }, { ops: 'team-1' }),
    }),
    planOf({ grants: [grant('prj-1', 'sre', 'read', 'read')], ids: ids({}, { sre: 'team-1' }) }),
  ];
  expect(joinOverviews(plans).grants).toEqual([grant('pay', 'ops', 'read', null)]);
});

test('projects that root files call the same are two in the access matrix, with their names if they are known', () => {
  const own = (id: string, more = {}) =>
    planOf({ grants: [grant('own', 'sre', 'read', 'read')], ids: ids({ own: id, ...more }) });
  const projects = (plans: readonly Plan[]) => joinOverviews(plans).grants.map(({ project }) => project);
  expect(projects([own('prj-1'), own('prj-2')])).toEqual(['own (prj-1)', 'own (prj-2)']);
  expect(projects([own('prj-1', { Payments: 'prj-1' }), own('prj-2')])).toEqual(['Payments', 'own (prj-2)']);
  const created = own('{project.own}');
  expect(new Set(projects([created, created])).size).toBe(2);
});

test('team access that one root file has read is not unknown, and an unknown project has the name that another one knows', () => {
  const plans = [
    planOf({
      workspaces: [
        workspace('a', [], [], { project: 'prj-1' }),
        workspace('b', [], [], { project: 'prj-2' }),
      ],
      projects: [],
    }),
    planOf({ projects: ['pay'], ids: ids({ pay: 'prj-1', Search: 'prj-2' }) }),
  ];
  expect(accessView(joinOverviews(plans)).unknown).toEqual(['Search']);
});
