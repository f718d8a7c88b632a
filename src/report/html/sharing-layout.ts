import type { SharingGraph, SharingNode } from '../sharing-view.ts';
import { arrangeInRows, type Placed, type Point, type Size } from './rows.ts';
import { nodeSize } from './sharing-label.ts';
import { spectralPlaces } from './spectral-places.ts';

/*
 * The positions of workspaces in the sharing diagram: labels in rows inside the box of their project, and boxes in rows
 * of the picture, so that labels never overlap. What is searched for is only their order, with the barycenter method:
 * in each round every workspace asks for the middle of those that it shares with, and all are sorted into rows again by
 * what they ask for. The round with the shortest lines is drawn.
 */

export interface PlacedNode extends Placed {
  readonly node: SharingNode;
}

export interface PlacedGroup extends Placed {
  readonly project: string | null;
}

export interface SharingLayout extends Size {
  readonly nodes: ReadonlyMap<string, PlacedNode>;
  readonly groups: readonly PlacedGroup[];
}

const headHeight = 30;
const padding = 16;

/** With more labels than this, they are placed closer together. */
const manyNodes = 80;

/** How strongly projects hold together in the first places; which is best depends on the graph, so each is tried. */
const starts = [0.3, 1, 3] as const;
const rounds = 40;

export function layoutSharing(graph: SharingGraph): SharingLayout {
  const neighbours = neighboursOf(graph);
  let best: SharingLayout | undefined;
  let shortest = Number.POSITIVE_INFINITY;
  for (const together of starts) {
    let wishes = spectralPlaces(graph, together);
    for (let round = 0; round <= rounds; round += 1) {
      const layout = arrange(graph, wishes);
      const length = totalLength(graph, layout);
      if (best === undefined || length < shortest) [best, shortest] = [layout, length];
      wishes = barycenters(graph, layout, neighbours);
    }
  }
  return best ?? arrange(graph, []);
}

function neighboursOf({ edges }: SharingGraph): ReadonlyMap<string, readonly string[]> {
  const neighbours = new Map<string, string[]>();
  const add = (from: string, to: string) => {
    const known = neighbours.get(from);
    if (known) known.push(to);
    else neighbours.set(from, [to]);
  };
  for (const { owner, reader } of edges) {
    add(owner, reader);
    add(reader, owner);
  }
  return neighbours;
}

/** Half of the way from the position of each workspace to the center of those that it shares with. */
function barycenters(
  { nodes }: SharingGraph,
  layout: SharingLayout,
  neighbours: ReadonlyMap<string, readonly string[]>,
): readonly Point[] {
  const place = (name: string) => middleOf(layout.nodes.get(name));
  return nodes.map(({ name }) => {
    const own = place(name);
    const others = (neighbours.get(name) ?? []).map(place);
    if (others.length === 0) return own;
    const mean = (axis: 'x' | 'y') => others.reduce((sum, one) => sum + one[axis], 0) / others.length;
    return { x: (own.x + mean('x')) / 2, y: (own.y + mean('y')) / 2 };
  });
}

function totalLength({ edges }: SharingGraph, { nodes }: SharingLayout): number {
  return edges.reduce((sum, { owner, reader }) => {
    const [from, to] = [middleOf(nodes.get(owner)), middleOf(nodes.get(reader))];
    return sum + Math.sqrt((from.x - to.x) ** 2 + (from.y - to.y) ** 2);
  }, 0);
}

function middleOf(placed: Placed | undefined): Point {
  return placed ? { x: placed.x + placed.width / 2, y: placed.y + placed.height / 2 } : { x: 0, y: 0 };
}

/** Sets labels into rows, and boxes into rows, by where each workspace wants to be. */
function arrange(graph: SharingGraph, wishes: readonly Point[]): SharingLayout {
  const projects = [...new Set(graph.nodes.map(({ project }) => project))].sort(byName);
  const wanted = graph.nodes.map((node, index) => ({
    node,
    ...nodeSize(node),
    ...(wishes[index] ?? { x: 0, y: 0 }),
  }));
  const gaps = graph.nodes.length > manyNodes ? { gapX: 14, gapY: 14 } : { gapX: 28, gapY: 24 };
  const boxes = projects.map((project) => {
    const members = wanted.filter(({ node }) => node.project === project);
    const rows = arrangeInRows(members, { ...gaps, ratio: 1.7 });
    const mean = (axis: 'x' | 'y') => members.reduce((sum, one) => sum + one[axis], 0) / members.length;
    return {
      project,
      rows,
      width: rows.width + 2 * padding,
      height: rows.height + headHeight + padding,
      x: mean('x'),
      y: mean('y'),
    };
  });
  const outside = arrangeInRows(boxes, { gapX: 30, gapY: 30, ratio: 1.45 });

  const nodes = new Map<string, PlacedNode>();
  const groups = outside.items.map(({ item: { project, rows }, x, y, width, height }): PlacedGroup => {
    for (const placed of rows.items) {
      const { node } = placed.item;
      const position = { x: x + padding + placed.x, y: y + headHeight + placed.y };
      nodes.set(node.name, { node, width: placed.width, height: placed.height, ...position });
    }
    return { project, x, y, width, height };
  });
  return { width: outside.width, height: outside.height, nodes, groups };
}

/** By code unit; what has no project comes last. */
function byName(a: string | null, b: string | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return a < b ? -1 : a > b ? 1 : 0;
}
