import { expect, test } from 'vitest';
import { worldWith } from '../support/attune.ts';
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
