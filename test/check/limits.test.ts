import { expect, test } from 'vitest';
import type { LimitOverrides } from '../../src/check/check.ts';
import { checkLimits, limitRun, needsCount } from '../../src/check/limits.ts';
import type { Limits } from '../../src/model/configuration.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import type { Plan, PlannedChange } from '../../src/model/plan.ts';
import { worldWith } from '../support/attune.ts';
import { emptyPlan } from '../support/empty-plan.ts';
import { planText } from '../support/plan-tables.ts';

const teams = ['a', 'b', 'c', 'd'].map((name) => `team-${name}`);
const grants = `team-access: {prj-1: {${teams.map((team) => `${team}: read`).join(', ')}, team-e: admin}}\n`;
const revoked = `team-access: {prj-1: {${teams.map((team) => `${team}: none`).join(', ')}}}\n`;
const workspaces = (count: number, applies: boolean) =>
  `workspaces:\n${Array.from({ length: count }, (_, index) => `  w${index}: {auto-apply: ${applies}}\n`).join('')}`;
const live = workspaces(10, false);

const four = 'team-access.prj-1/team-a, team-access.prj-1/team-b, team-access.prj-1/team-c and 1 more';
const hintRevokes = '    hint: review the revoked access above; to allow it, pass --max-revokes 4';
const hintUpdates = (count: number) =>
  `    hint: review the updates above; to allow them, pass --max-updates ${count}`;

interface Limited {
  readonly title: string;
  readonly desired: string;
  readonly live: string;
  readonly options?: string;
  readonly errors?: readonly string[];
}

test.each<Limited>([
  {
    title: 'limits.revokes counts deleted grants and names the first three',
    desired: `limits: {revokes: 3}\n${revoked}`,
    live: grants,
    errors: [
      `error too-many-revokes at 3:19: the plan revokes 4 grants (${four}), and limits.revokes allows 3`,
      hintRevokes,
    ],
  },
  {
    title: 'limits.revokes accepts as many as it allows',
    desired: `limits: {revokes: 4}\n${revoked}`,
    live: grants,
  },
  {
    title: 'a lower level counts as an update and not as a revoke',
    desired: 'limits: {revokes: 0, updates: 0}\nteam-access: {prj-1: {team-e: read}}\n',
    live: grants,
    errors: [
      'error too-many-updates at 3:31: the plan updates 1 (team-access.prj-1/team-e), and limits.updates allows 0',
      hintUpdates(1),
    ],
  },
  {
    title: '--max-revokes overrides limits.revokes and not limits.deletes',
    desired: `limits: {revokes: 3, deletes: 2}\n${revoked}`,
    live: grants,
    options: 'max-revokes: 4',
    errors: [
      'error too-many-deletes at 3:31: the plan deletes 4, and limits.deletes allows 2',
      '    hint: review the deletions above; to allow them, pass --max-deletes 4',
    ],
  },
  {
    title: '--max-revokes refuses more',
    desired: revoked,
    live: grants,
    options: 'max-revokes: 1',
    errors: [
      `error too-many-revokes: the plan revokes 4 grants (${four}), and --max-revokes allows 1`,
      hintRevokes,
    ],
  },
  {
    title: 'limits.updates names the updated resources',
    desired: `limits: {updates: 2}\n${workspaces(3, true)}`,
    live,
    errors: [
      'error too-many-updates at 3:19: the plan updates 3 (workspace.w0, workspace.w1, workspace.w2), and limits.updates allows 2',
      hintUpdates(3),
    ],
  },
  {
    title: 'limits.update-percent is checked from 10 live objects on',
    desired: `limits: {update-percent: 20}\n${workspaces(4, true)}`,
    live,
    errors: [
      'error too-many-updates at 3:26: the plan updates 4 of 10 live objects (40.0 percent: workspace.w0, workspace.w1, workspace.w2 and 1 more), and limits.update-percent allows 20',
      hintUpdates(4),
    ],
  },
  {
    title: 'limits.update-percent is not checked below 10 live objects',
    desired: `limits: {update-percent: 20}\n${workspaces(4, true)}`,
    live: workspaces(9, false),
  },
  {
    title: 'limits.update-percent accepts as many as it allows',
    desired: `limits: {update-percent: 40}\n${workspaces(4, true)}`,
    live,
  },
  {
    title: 'creates do not count as updates',
    desired: 'limits: {updates: 0}\nworkspaces: {new: {}}\n',
    live,
  },
  {
    title: '--max-updates overrides the number and the percentage',
    desired: `limits: {updates: 1, update-percent: 1}\n${workspaces(4, true)}`,
    live,
    options: 'max-updates: 4',
  },
  {
    title: '--max-updates refuses more',
    desired: workspaces(4, true),
    live,
    options: 'max-updates: 3',
    errors: [
      'error too-many-updates: the plan updates 4 (workspace.w0, workspace.w1, workspace.w2 and 1 more), and --max-updates allows 3',
      hintUpdates(4),
    ],
  },
])('$title', async ({ desired, live, options = '', errors = [] }) => {
  const lines = (await planText({ desired, live, options })).split('\n');
  const first = lines.findIndex((line) => line.startsWith('error '));
  expect(first === -1 ? [] : lines.slice(first)).toEqual(errors);
});

test('--max-updates counts the updates of all root files of a run', async () => {
  const root = (name: string) => `attune: 1\norganization: acme\nworkspaces: {${name}: {auto-apply: true}}\n`;
  const files = { 'one.yaml': root('a'), 'two.yaml': root('b') };
  const world = await worldWith(files, { seed: { workspaces: { a: {}, b: {} } } });
  const refused = await world.attune('apply', 'one.yaml', 'two.yaml', '--yes', '--max-updates', '1');
  expect([refused.code, refused.stderr, world.writes()]).toEqual([
    1,
    `error[too-many-updates]: the 2 plans of this run update 2 together (1 + 1), and --max-updates allows 1
  hint: review the updates above; to allow them, pass --max-updates 2
No changes were made.
`,
    [],
  ]);
});

const change = (
  action: PlannedChange['action'],
  name: string,
  kind: PlannedChange['kind'] = 'workspace',
): PlannedChange => ({
  address: `${kind}.${name}`,
  kind,
  name,
  action,
  fields: [],
  calls: [],
  dependsOn: [],
});

const planOf = (...changes: readonly PlannedChange[]): Plan => ({
  ...emptyPlan,
  changes,
});

const deleting = planOf(change('delete', 'a'), change('delete', 'b'), change('delete', 'c/d', 'team-access'));
const nineLive = { workspaces: 5, grants: 3, projects: 1 };
const tenLive = { workspaces: 5, grants: 3, projects: 2 };
const unlimited: Limits = { deletes: 99, deletePercent: 100 };
const printed = (diagnostics: readonly Diagnostic[]) =>
  diagnostics.map(({ code, message, location }) => `${code}${location ? ' at its line' : ''}: ${message}`);

test('deletes of all kinds share limits.deletes and limits.delete-percent of all live objects', () => {
  const location = { file: 'attune.yaml', line: 3, column: 3 };
  const limits = { deletes: 2, deletePercent: 29, locations: { deletePercent: location } };
  expect(printed(checkLimits(deleting, limits, tenLive))).toEqual([
    'too-many-deletes: the plan deletes 3, and limits.deletes allows 2 by default',
    'too-many-deletes at its line: the plan deletes 3 of 10 live objects (30.0 percent), and limits.delete-percent allows 29',
  ]);
  expect(printed(checkLimits(deleting, { deletes: 3, deletePercent: 30 }, tenLive))).toEqual([]);
  expect(printed(checkLimits(deleting, { ...unlimited, deletePercent: 1 }, nineLive))).toEqual([]);
});

test('a percentage of one kind is not hidden by the objects of other kinds', () => {
  const limits = { ...unlimited, deletePercent: 30 };
  const manyOthers = { workspaces: 12, grants: 200, projects: 50 };
  const sixOf = (kind: PlannedChange['kind']) =>
    planOf(...[...'abcdef'].map((name) => change('delete', name, kind)));
  const messages = (kind: PlannedChange['kind'], live = manyOthers) =>
    printed(checkLimits(sixOf(kind), limits, live));
  expect(messages('workspace')).toEqual([
    'too-many-deletes: the plan deletes 6 of 12 live workspaces (50.0 percent), and limits.delete-percent allows 30 by default',
  ]);
  expect(messages('team-access')).toEqual([]);
  expect(messages('project')).toEqual([]);
  expect(messages('project', { ...manyOthers, projects: 10 })).toEqual([
    'too-many-deletes: the plan deletes 6 of 10 live projects (60.0 percent), and limits.delete-percent allows 30 by default',
  ]);
  expect(messages('workspace', { ...manyOthers, workspaces: 9 })).toEqual([]);
});

test('a limit without changes of its kind is kept', () => {
  const limits = { deletes: 0, revokes: 0, updates: 0, deletePercent: 0, updatePercent: 0 };
  expect(checkLimits(planOf(change('create', 'a')), limits, tenLive)).toEqual([]);
  expect(checkLimits(planOf(), limits, tenLive, { deletes: 0 })).toEqual([]);
});

test('a count of the live objects is needed if the known ones exceed a percentage', () => {
  const limits: Limits = { ...unlimited, deletePercent: 30 };
  expect(needsCount(deleting, limits, { workspaces: 7, grants: 4, projects: 0 }, {})).toBe(false);
  expect(needsCount(deleting, limits, { workspaces: 6, grants: 40, projects: 0 }, {})).toBe(true);
  expect(needsCount(deleting, limits, { workspaces: 60, grants: 3, projects: 0 }, {})).toBe(true);
  expect(needsCount(deleting, limits, nineLive, {})).toBe(true);
  expect(needsCount(deleting, limits, { workspaces: 0, grants: 0, projects: 0 }, {})).toBe(true);
  expect(needsCount(deleting, limits, nineLive, { deletes: 9 })).toBe(false);
  expect(needsCount(deleting, limits, nineLive, { updates: 9 })).toBe(true);
  expect(needsCount(deleting, { ...unlimited, deletes: 0, updatePercent: 0 }, nineLive, {})).toBe(false);
  expect(needsCount(planOf(), { ...unlimited, deletePercent: 0 }, nineLive, {})).toBe(false);
});

test('limits of a run count the changes of all plans and are reported at the last plan with one', () => {
  const planned = [deleting, planOf(change('delete', 'e')), planOf(change('update', 'f'))].map(
    (plan, index) => ({ plan, file: `${index}.yaml` }),
  );
  const run = (overrides: LimitOverrides) =>
    limitRun(planned, { overrides, rootFile: ({ file }) => file }).map(({ plan }) =>
      plan.diagnostics.map(({ message, hint }) => `${message} | ${hint}`),
    );
  expect(run({ deletes: 3 })).toEqual([
    [],
    [
      'the 3 plans of this run delete 4 together (3 + 1 + 0), and --max-deletes allows 3 | review the deletions above; to allow them, pass --max-deletes 4',
    ],
    [],
  ]);
  expect(run({ deletes: 4, revokes: 1, updates: 1 })).toEqual([[], [], []]);
  expect(run({ revokes: 0, updates: 0 })).toEqual([
    [
      'the 3 plans of this run revoke 1 grants together (1 + 0 + 0), and --max-revokes allows 0 | review the revoked access above; to allow it, pass --max-revokes 1',
    ],
    [],
    [
      'the 3 plans of this run update 1 together (0 + 0 + 1), and --max-updates allows 0 | review the updates above; to allow them, pass --max-updates 1',
    ],
  ]);
  expect(run({})).toEqual([[], [], []]);
});

test('a limit of a root file names the file beside other plans, and its hint allows the whole run', () => {
  const location = { file: 'one.yaml', line: 3, column: 3 };
  const found: Diagnostic[] = [
    { severity: 'error', code: 'too-many-deletes', message: 'by default', hint: 'own' },
    { severity: 'error', code: 'too-many-updates', message: 'at a line', location, hint: 'own' },
    { severity: 'error', code: 'other', message: 'other', hint: 'own' },
  ];
  const first = { plan: { ...deleting, diagnostics: found } };
  const second = { plan: planOf(change('update', 'f'), change('delete', 'g')) };
  const options = { overrides: {}, rootFile: () => 'one.yaml' };
  expect(limitRun([first], options)[0]?.plan.diagnostics).toEqual(found);
  expect(
    limitRun([first, second], options)[0]?.plan.diagnostics.map(({ message, hint }) => [message, hint]),
  ).toEqual([
    ['one.yaml: by default', 'review the deletions above; to allow them, pass --max-deletes 4'],
    ['at a line', 'review the updates above; to allow them, pass --max-updates 1'],
    ['other', 'own'],
  ]);
});

test('the message of a limit names only the changes that count', () => {
  const plan = planOf(change('create', 'a'), change('update', 'b'), change('delete', 'c'));
  expect(printed(checkLimits(plan, { ...unlimited, updates: 0 }, nineLive))).toEqual([
    'too-many-updates: the plan updates 1 (workspace.b), and limits.updates allows 0 by default',
  ]);
});

test('a plan without changes of a kind needs no count of the live objects', () => {
  const none = { workspaces: 0, grants: 0, projects: 0 };
  expect(needsCount(planOf(), { ...unlimited, deletePercent: 0, updatePercent: 0 }, none, {})).toBe(false);
  expect(needsCount(deleting, unlimited, none, {})).toBe(false);
});
