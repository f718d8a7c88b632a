/**
 * Where the workspaces of the sharing picture stand.
 *
 * A force simulation finds out who belongs near whom: workspaces that share state attract each other and their
 * project holds them together. Its positions are not drawn. They only give the order in which labels are set into
 * rows inside the box of their project, and boxes into rows of the picture: so labels never overlap, at any size, and
 * a last bit of a float that differs on another machine does not move anything.
 */
import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type SimulationNodeDatum,
} from 'd3-force';
import type { SharingGraph, SharingNode } from '../sharing-view.ts';
import { arrangeInRows, type Placed, type Size } from './rows.ts';
import { nodeSize } from './sharing-label.ts';

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

interface Body extends SimulationNodeDatum {
  readonly node: SharingNode;
  readonly group: number;
  readonly width: number;
  readonly height: number;
}

const headHeight = 30;
const padding = 16;

/** From here on labels stand closer, so that more of them are legible at once. */
const manyNodes = 80;

export function layoutSharing(graph: SharingGraph): SharingLayout {
  const projects = [...new Set(graph.nodes.map(({ project }) => project))].sort(byName);
  const groupOf = new Map(projects.map((project, index) => [project, index]));
  const bodies = graph.nodes.map(
    (node): Body => ({ node, group: groupOf.get(node.project) ?? 0, ...nodeSize(node) }),
  );
  settle(bodies, graph, projects.length);

  const inside = projects.map((_project, group) =>
    arrangeInRows(
      bodies.filter((body) => body.group === group),
      graph.nodes.length > manyNodes
        ? { gapX: 14, gapY: 14, ratio: 1.7 }
        : { gapX: 28, gapY: 24, ratio: 1.7 },
    ),
  );
  const boxes = inside.map(({ width, height }, group) => {
    const members = bodies.filter((body) => body.group === group);
    const mean = (axis: 'x' | 'y') =>
      members.reduce((sum, body) => sum + (body[axis] ?? 0), 0) / members.length;
    return {
      group,
      width: width + 2 * padding,
      height: height + headHeight + padding,
      x: mean('x'),
      y: mean('y'),
    };
  });
  const outside = arrangeInRows(boxes, { gapX: 30, gapY: 30, ratio: 1.45 });

  const nodes = new Map<string, PlacedNode>();
  const groups = outside.items.map(({ item, x, y, width, height }): PlacedGroup => {
    for (const placed of inside[item.group]?.items ?? []) {
      const { node } = placed.item;
      const position = { x: x + padding + placed.x, y: y + headHeight + placed.y };
      nodes.set(node.name, { node, width: placed.width, height: placed.height, ...position });
    }
    return { project: projects[item.group] ?? null, x, y, width, height };
  });
  return { width: outside.width, height: outside.height, nodes, groups };
}

/** Lets the workspaces find their places: a fixed number of steps from fixed places, with chance that is always the same. */
function settle(bodies: readonly Body[], { edges }: SharingGraph, groups: number): void {
  const columns = Math.max(1, Math.ceil(Math.sqrt(groups)));
  const reach = 60 * Math.sqrt(bodies.length / Math.max(1, groups)) + 120;
  const seats = new Map<number, number>();
  for (const body of bodies) {
    const seat = seats.get(body.group) ?? 0;
    seats.set(body.group, seat + 1);
    body.x = (body.group % columns) * reach + (seat % 7) * 23;
    body.y = Math.floor(body.group / columns) * reach + Math.floor(seat / 7) * 19;
  }
  const byName = new Map(bodies.map((body) => [body.node.name, body]));
  const links = edges.flatMap(({ owner, reader }) => {
    const [source, target] = [byName.get(owner), byName.get(reader)];
    return source && target ? [{ source, target }] : [];
  });
  const simulation = forceSimulation([...bodies])
    .randomSource(fixedChance())
    .stop()
    .force('links', forceLink<Body, (typeof links)[number]>(links).distance(70))
    .force('charge', forceManyBody<Body>().strength(-160).theta(1.1).distanceMax(900))
    .force('room', forceCollide<Body>(34).iterations(1))
    .force('together', groupForce(bodies, groups))
    .force('x', forceX<Body>(0).strength(0.03))
    .force('y', forceY<Body>(0).strength(0.05));
  simulation.tick(bodies.length > 300 ? 80 : 200);
}

/** Draws the members of a project to their common middle. */
function groupForce(bodies: readonly Body[], groups: number): (alpha: number) => void {
  return (alpha) => {
    const sums = Array.from({ length: groups }, () => ({ x: 0, y: 0, count: 0 }));
    for (const { group, x = 0, y = 0 } of bodies) {
      const sum = sums[group];
      if (sum) Object.assign(sum, { x: sum.x + x, y: sum.y + y, count: sum.count + 1 });
    }
    for (const body of bodies) {
      const sum = sums[body.group];
      if (sum === undefined) continue;
      body.vx = (body.vx ?? 0) + (sum.x / sum.count - (body.x ?? 0)) * 0.4 * alpha;
      body.vy = (body.vy ?? 0) + (sum.y / sum.count - (body.y ?? 0)) * 0.4 * alpha;
    }
  };
}

/** A linear congruential generator with a fixed start. */
function fixedChance(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(1664525, state) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** By code unit; what has no project comes last. */
function byName(a: string | null, b: string | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return a < b ? -1 : a > b ? 1 : 0;
}
