import { expect, test } from 'vitest';
import type { Plan, StateAccessChange, WorkspaceOverview } from '../../src/model/plan.ts';
import { renderHtml } from '../../src/report/html/html.ts';
import { sharingView } from '../../src/report/html/sharing.ts';
import { rowsIn } from '../support/rows.ts';
import { largePlan } from './fixtures/large-plan.ts';
import { sharingPlan, sharingReport } from './fixtures/sharing-report.ts';

type Readers = WorkspaceOverview['readers']['before'];
type Change = Omit<StateAccessChange, 'workspace'>;

const workspace = (name: string, before: Readers, after: Readers, project = 'core'): WorkspaceOverview => ({
  name,
  action: null,
  project,
  readers: { before, after },
});

test.each(rowsIn<[string, Readers, Readers, Change | null, string[]]>`
- [of a list that stays, [b], [b], ~, [same b]]
- [of nobody, [], [], ~, []]
- [of itself, [a], [a], ~, []]
- [of an unread list, null, [b], ~, [same b]]
- [of a list that changes, [b, c], [c, d], {gains: [d], loses: [b]}, [gained d, lost b, same c]]
- [of everyone, '*', '*', ~, [same every workspace]]
- [of a list and then of everyone, [b], '*', {gains: ['*'], loses: []}, [gained every workspace, same b]]
- [of everyone and then of a list, '*', [b], {gains: [b], loses: ['*']}, [lost every workspace (except b), same b]]
- [of everyone and then of an unread list, '*', null, {gains: [], loses: ['*'], unknown: true}, [lost every workspace (the remaining readers are unknown)]]
- [of everyone and then of a project, '*', [pay/*], {gains: [pay/*], loses: ['*']}, [lost every workspace (except every workspace of pay), same every workspace of pay]]
- [of an unread list and then of a project, null, [pay/*], {gains: [pay/*], loses: [], unknown: true}, ['gained every workspace of pay (other readers, whose list was not read, lose access)']]
- [of a list and then of a project with other members, [b, c], [pay/*], {gains: [pay/*], loses: [c]}, [gained every workspace of pay, lost c, same b]]
- [of a project that gets a member, [pay/*], [pay/*], {gains: [b], loses: []}, [gained b, same every workspace of pay]]
- [of a project and then of a member of it, [pay/*], [b], {gains: [], loses: [c]}, [lost c, same b]]
`)('the page has the readers %s', (_title, before, after, change, expected) => {
  const { changed, same } = sharingView({
    workspaces: [workspace('a', before, after)],
    stateAccess: change === null ? [] : [{ workspace: 'a', ...change }],
  });
  const texts = [...changed, ...same].map(
    ({ change: side, readers, note }) =>
      `${side ?? 'same'} ${readers.map(({ label }) => label)}${note === undefined ? '' : ` (${note})`}`,
  );
  expect(texts).toEqual(expected);
});

test('the page has nothing of state sharing where none is known, and its unread lists beside what is', () => {
  const page = (workspaces: readonly WorkspaceOverview[]) => {
    const plan: Plan = { ...largePlan({}), overview: { workspaces, grants: [], scope: 'none' } };
    const text = renderHtml({ kind: 'plan', entries: [{ plan, diagnostics: [], path: (file) => file }] });
    return /<summary><h2 id="[^"]*-sharing[\s\S]*?<\/article>/.exec(text)?.[0].replaceAll(/<[^>]*>/g, ' ');
  };
  const unread = [workspace('a', null, null), workspace('b', null, null)];
  expect(page([workspace('c', [], []), ...unread])).toBeUndefined();
  const shown = page([workspace('c', ['d'], ['d']), ...unread]);
  expect(shown).toContain('No known differences in who can read which state.');
  expect(shown).toContain('The readers of 2 workspaces are unknown');
});

const pictureOf = (page: string) => /<svg class="picture"[\s\S]*?<\/svg>/.exec(page)?.[0] ?? '';
const linesOf = (page: string) => pictureOf(page).match(/class="arrow/g)?.length ?? 0;

test('the picture of the page joins the projects of states and of their readers', () => {
  const page = renderHtml(sharingReport(3000));
  expect(linesOf(page)).toBe(6);
  expect(pictureOf(page)).toMatch(/>payments<\/text><text class="counts [a-z]+"[^>]*>\+\d+/);
});

test('the page has no picture if nothing changes', () => {
  const plan: Plan = { ...sharingPlan(120), effects: { stateAccess: [], moves: [] } };
  const page = renderHtml({ kind: 'plan', entries: [{ plan, diagnostics: [], path: (file) => file }] });
  expect(pictureOf(page)).toBe('');
  expect(page).toContain('No known differences in who can read which state.');
  expect(page).toContain('Unchanged sharing: 120 workspaces');
});

test('the page has only the table if too many projects change', () => {
  const workspaces = Array.from({ length: 201 }, (_, nth) => workspace(`w${nth}`, [], ['r'], `p${nth}`));
  const stateAccess = workspaces.map(({ name }) => ({ workspace: name, gains: ['r'], loses: [] }));
  const plan: Plan = {
    ...largePlan({}),
    effects: { stateAccess, moves: [] },
    overview: { workspaces, grants: [], scope: 'none' },
  };
  const page = renderHtml({ kind: 'plan', entries: [{ plan, diagnostics: [], path: (file) => file }] });
  expect(pictureOf(page)).toBe('');
  expect(page.match(/<b aria-hidden="true">\+<\/b>gained/g)).toHaveLength(201);
});
