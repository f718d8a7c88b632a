import { expect, test } from 'vitest';
import type { LimitOverrides } from '../../src/check/check.ts';
import { limitRun, limits } from '../../src/check/limits.ts';
import type { Action } from '../../src/model/change.ts';
import type { Limits } from '../../src/model/configuration.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import type { Plan, PlannedChange } from '../../src/model/plan.ts';
import { type Resource, type ResourceKind, resourceKinds } from '../../src/model/state.ts';
import { configured } from '../desired/load-files.ts';
import { worldWith } from '../support/attune.ts';
import { emptyLive, emptyPlan } from '../support/empty-plan.ts';
import { rowsIn } from '../support/rows.ts';
import { findings } from './findings.ts';

type Counts = Readonly<Partial<Record<ResourceKind, number>>>;
type Changes = Readonly<Partial<Record<Action, Counts>>>;

/** Changes by action and kind, called `w1`, `w2` and so on by the letter of their kind. */
function planOf(changes: Changes, diagnostics: readonly Diagnostic[] = []): Plan {
  const made = Object.entries(changes).flatMap(([action, counts]) =>
    Object.entries(counts).flatMap(([kind, count]) =>
      Array.from({ length: count }, (_, index) => {
        const name = `${action[0]}${index + 1}`;
        const about = { kind: kind as ResourceKind, address: `${kind}.${name}`, name };
        return { ...about, action: action as Action, fields: [], calls: [], dependsOn: [] } as PlannedChange;
      }),
    ),
  );
  return { ...emptyPlan, changes: made, diagnostics };
}

const managed = Array.from({ length: 60 }, (_, index) => `p${index}: {id: prj-${index}, manage: true}`);
const configuration = await configured(
  `projects: {x: prj-x, ${managed.join(', ')}}\nteam-access: {x: {}}\nscope: {names: ['*']}\n`,
);

function liveOf(counts: Counts) {
  const resources = resourceKinds.flatMap((kind) =>
    Array.from({ length: counts[kind] ?? 0 }, (_, index) => {
      const address = `${kind}.${index}`;
      const attributes = { project: 'prj-x', team: `${index}` };
      return [
        address,
        { kind, address, name: `${index}`, id: `prj-${index}`, attributes } as Resource,
      ] as const;
    }),
  );
  return { ...emptyLive, state: { organization: 'acme', resources: new Map(resources) } };
}

interface Row {
  readonly plan: Changes;
  readonly limits?: Partial<Limits>;
  readonly live: Counts;
  readonly overrides?: LimitOverrides;
  /** The number of workspaces that the service counts, if it is asked. */
  readonly counted?: number;
}

test.each(rowsIn<[string, Row, string[]]>`
- ['revokes names the first three', {plan: {delete: {team-access: 4}}, limits: {revokes: 3}, live: {}}, ['revokes: the plan revokes 4 grants (team-access.d1, team-access.d2, team-access.d3 and 1 more), and limits.revokes allows 3 by default | review the revoked access above; to allow it, pass --max-revokes 4']]
- ['a limit on the command line refuses more', {plan: {delete: {team-access: 2}}, overrides: {revokes: 1}, live: {}}, ['revokes: the plan revokes 2 grants (team-access.d1, team-access.d2), and --max-revokes allows 1 | review the revoked access above; to allow it, pass --max-revokes 2']]
- ['a limit on the command line overrides number and percentage', {plan: {update: {workspace: 4}}, limits: {updates: 1, updatePercent: 1}, overrides: {updates: 4}, live: {workspace: 10}}, []]
- ['updates names at most three', {plan: {update: {workspace: 3}}, limits: {updates: 2}, live: {}}, ['updates: the plan updates 3 (workspace.u1, workspace.u2, workspace.u3), and limits.updates allows 2 by default | review the updates above; to allow them, pass --max-updates 3']]
- ['a percentage is checked from 10 objects on', {plan: {update: {workspace: 4}}, limits: {updatePercent: 20}, live: {workspace: 10}, counted: 10}, ['updates: the plan updates 4 of 10 live objects (40.0 percent: workspace.u1, workspace.u2, workspace.u3 and 1 more), and limits.update-percent allows 20 by default | review the updates above; to allow them, pass --max-updates 4']]
- ['a percentage accepts as many as it allows', {plan: {update: {workspace: 4}}, limits: {updatePercent: 40}, live: {workspace: 10}}, []]
- ['deletes of all kinds share both limits', {plan: {delete: {workspace: 2, team-access: 1}}, limits: {deletes: 2, deletePercent: 29}, live: {workspace: 5, team-access: 3, project: 2}, counted: 5}, ['deletes: the plan deletes 3, and limits.deletes allows 2 by default | review the deletions above; to allow them, pass --max-deletes 3', 'deletes: the plan deletes 3 of 10 live objects (30.0 percent), and limits.delete-percent allows 29 by default | review the deletions above; to allow them, pass --max-deletes 3']]
- ['the share of workspaces is not hidden by grants', {plan: {delete: {workspace: 6}}, limits: {deletePercent: 30}, live: {workspace: 12, team-access: 200, project: 50}, counted: 12}, ['deletes: the plan deletes 6 of 12 live workspaces (50.0 percent), and limits.delete-percent allows 30 by default | review the deletions above; to allow them, pass --max-deletes 6']]
`)('limits: %s', async (_, { plan, limits: given = {}, live, overrides = {}, counted }, expected) => {
  const counts: number[] = [];
  const countWorkspaces = async () => {
    counts.push(counted ?? -1);
    return counted;
  };
  const found = await findings(limits, {
    configuration: { ...configuration, limits: { deletes: 99, deletePercent: 100, ...given } },
    ...{ plan: planOf(plan), live: liveOf(live), overrides, query: { projects: ['prj-x'] } },
    ...{ source: { countWorkspaces, countGrants: async () => 0 }, request: {} },
  });
  expect(
    found.map(({ code, message, hint }) => `${code.replace('too-many-', '')}: ${message} | ${hint}`),
  ).toEqual(expected);
  expect(counts).toEqual(counted === undefined ? [] : [counted]);
});

test('--max-updates counts the updates of all root files of a run', async () => {
  const root = (name: string) => `attune: 1\norganization: acme\nworkspaces: {${name}: {auto-apply: true}}\n`;
  const files = { 'one.yaml': root('a'), 'two.yaml': root('b') };
  const world = await worldWith(files, { seed: { workspaces: { a: {}, b: {} } } });
  const refused = await world.attune('apply', 'one.yaml', 'two.yaml', '--yes', '--max-updates', '1');
  expect([refused.code, refused.stderr, world.writes()]).toEqual([
    1,
    `error[too-many-updates]: the 2 plans of this run update 2 (workspace.a, workspace.b), and --max-updates allows 1
  hint: review the updates above; to allow them, pass --max-updates 2
No changes were made.
`,
    [],
  ]);
});

const deleting = { delete: { workspace: 2, 'team-access': 1 } };

test('limits of a run count the changes of all plans and are reported at the last plan with one', () => {
  const plans = [deleting, { delete: { workspace: 1 } }, { update: { workspace: 1 } }].map((changes) =>
    planOf(changes),
  );
  const run = (overrides: LimitOverrides) =>
    limitRun(plans, overrides, []).map(({ diagnostics }) =>
      diagnostics.map(({ message, hint }) => `${message} | ${hint?.replace(/.*pass/, 'pass')}`),
    );
  const together = (what: string, kind: string, allowed: number, all: number) => [
    `the 3 plans of this run ${what}, and --max-${kind} allows ${allowed} | pass --max-${kind} ${all}`,
  ];
  expect(run({ deletes: 3 })).toEqual([[], together('delete 4', 'deletes', 3, 4), []]);
  expect(run({ deletes: 4, revokes: 1, updates: 1 })).toEqual([[], [], []]);
  expect(run({ revokes: 0, updates: 0 })).toEqual([
    together('revoke 1 grants (team-access.d1)', 'revokes', 0, 1),
    [],
    together('update 1 (workspace.u1)', 'updates', 0, 1),
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
  const first = planOf(deleting, found);
  const second = planOf({ update: { workspace: 1 }, delete: { workspace: 1 } });
  const inRun = (...plans: Plan[]) => limitRun(plans, {}, ['one.yaml', 'two.yaml'])[0]?.diagnostics;
  expect(inRun(first)).toEqual(found);
  expect(inRun(first, second)?.map(({ message, hint }) => [message, hint])).toEqual([
    ['one.yaml: by default', 'review the deletions above; to allow them, pass --max-deletes 4'],
    ['at a line', 'review the updates above; to allow them, pass --max-updates 1'],
    ['other', 'own'],
  ]);
});
