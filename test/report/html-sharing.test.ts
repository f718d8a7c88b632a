import { describe, expect, test } from 'vitest';
import type { Plan, WorkspaceOverview } from '../../src/model/plan.ts';
import { renderHtml } from '../../src/report/html/html.ts';
import type { Placed } from '../../src/report/html/sharing-layout.ts';
import { layoutSharing } from '../../src/report/html/sharing-layout.ts';
import { drawnPart, sharingGraph, sharingView } from '../../src/report/sharing-view.ts';
import { largePlan } from './fixtures/large-plan.ts';
import { sharingWorkspaces } from './fixtures/sharing-report.ts';

type Readers = WorkspaceOverview['readers'];

const workspace = (name: string, before: Readers['before'], after: Readers['after']): WorkspaceOverview => ({
  name,
  action: null,
  project: 'core',
  readers: { before, after },
});

describe('who may read whose state', () => {
  test.each<[string, Readers['before'], Readers['after'], string[], string | null]>([
    ['is kept', ['b'], ['b'], ['b kept'], null],
    ['is added', [], ['b'], ['b added'], null],
    ['is removed', ['b'], [], ['b removed'], null],
    [
      'is kept beside added and removed ones',
      ['b', 'c'],
      ['c', 'd'],
      ['b removed', 'c kept', 'd added'],
      null,
    ],
    ['is every workspace', '*', '*', [], 'kept'],
    ['was named before all workspaces may read', ['b'], '*', ['b kept'], 'added'],
    ['is still named after all workspaces could read', '*', ['b'], ['b kept'], 'removed'],
    ['was not read before', null, ['b'], ['b kept'], null],
    ['has no reader', [], [], [], null],
    ['is never shown as its own reader', ['a'], ['a'], [], null],
  ])(
    'the picture of the page is right for a state whose reader %s',
    (_title, before, after, edges, global) => {
      const graph = sharingGraph({ workspaces: [workspace('a', before, after)], grants: [], scope: 'none' });
      expect(graph.edges.map(({ reader, presence }) => `${reader} ${presence}`)).toEqual(edges);
      expect(graph.nodes.find(({ name }) => name === 'a')?.global ?? null).toBe(global);
    },
  );

  test('the picture of the page has no workspace without sharing, and has a reader that was not read', () => {
    const workspaces = [workspace('a', ['ws-9'], ['ws-9']), workspace('idle', [], [])];
    const { nodes } = sharingGraph({ workspaces, grants: [], scope: 'none' });
    expect(nodes.map(({ name, foreign }) => `${name} ${foreign}`)).toEqual(['a false', 'ws-9 true']);
  });
});

test('the picture of the page has a changed workspace without sharing if there are few', () => {
  const shared = workspace('a', ['b'], ['b']);
  const idle = (count: number) =>
    Array.from({ length: count }, (_, nth) => ({
      ...workspace(`idle-${nth}`, [], []),
      action: 'update' as const,
    }));
  const drawn = (workspaces: WorkspaceOverview[]) =>
    sharingGraph({ workspaces, grants: [], scope: 'none' }).nodes.length;
  expect(drawn([shared, ...idle(60)])).toBe(62);
  expect(drawn([shared, ...idle(61)])).toBe(2);
  expect(drawn(idle(3))).toBe(0);
});

test('the page claims nothing of workspaces whose readers were not read', async () => {
  const page = (workspaces: readonly WorkspaceOverview[]) => {
    const plan: Plan = { ...largePlan({}), overview: { workspaces, grants: [], scope: 'none' } };
    const text = renderHtml({ kind: 'plan', entries: [{ plan, diagnostics: [], path: (file) => file }] });
    return /<section id="[^"]*-sharing"[\s\S]*?<\/section>/.exec(text)?.[0].replaceAll(/<[^>]*>/g, '');
  };
  const unread = [workspace('a', null, null), workspace('b', null, null)];
  const idle = workspace('c', [], []);
  const claim = 'No workspace shares its state with another.';
  expect(page([idle])).toContain(claim);
  expect(page(unread)).not.toContain('No workspace shares');
  expect(page(unread)).toContain('No list of readers was read, so state sharing is unknown.');
  expect(page([idle, ...unread])).toContain(
    'The one workspace whose readers were read shares its state with no other.',
  );
  expect(
    sharingView({ workspaces: [idle, ...unread, workspace('d', ['c'], ['c'])], grants: [], scope: 'none' }),
  ).toMatchObject({
    idle: 0,
    unread: 2,
  });
});

describe('the layout', () => {
  const graph = sharingGraph({ workspaces: sharingWorkspaces(300), grants: [], scope: 'none' });

  test('the layout of the picture is the same every time', () => {
    expect(layoutSharing(graph)).toEqual(layoutSharing(graph));
  });

  test('the layout of the picture puts no label on another, and each into the box of its project', () => {
    const { nodes, groups } = layoutSharing(graph);
    const placed = [...nodes.values()];
    expect(placed).toHaveLength(300);
    const overlapping = placed.flatMap((one, index) =>
      placed.slice(index + 1).filter((other) => overlap(one, other)),
    );
    expect(overlapping).toEqual([]);
    const boxes = new Map(groups.map((group) => [group.project, group]));
    expect(placed.filter((node) => !within(node, boxes.get(node.node.project)))).toEqual([]);
    expect(
      groups.flatMap((one, index) => groups.slice(index + 1).filter((other) => overlap(one, other))),
    ).toEqual([]);
  });

  test('the layout of the picture accepts one workspace, and one without a project', () => {
    const single = sharingGraph({ workspaces: [workspace('a', '*', '*')], grants: [], scope: 'none' });
    expect(layoutSharing(single).nodes.size).toBe(1);
    const alone = sharingGraph({
      workspaces: [{ ...workspace('a', '*', '*'), project: null }],
      grants: [],
      scope: 'none',
    });
    expect(layoutSharing(alone).groups).toHaveLength(1);
  });
});

test('the layout of a picture with too many workspaces has those that change', () => {
  const graph = sharingGraph({ workspaces: sharingWorkspaces(3000), grants: [], scope: 'none' });
  const drawn = drawnPart(graph);
  expect(drawn.nodes).toHaveLength(600);
  const changed = graph.nodes.filter(({ action }) => action !== null);
  expect(changed.filter((node) => !drawn.nodes.includes(node))).toEqual([]);
  const names = new Set(drawn.nodes.map(({ name }) => name));
  expect(drawn.edges.filter(({ owner, reader }) => !names.has(owner) || !names.has(reader))).toEqual([]);
});

function overlap(a: Placed, b: Placed): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function within(inner: Placed, outer: Placed | undefined): boolean {
  return (
    outer !== undefined &&
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}
