import { escapeControls } from '../escape-controls.ts';
import type { SharingGraph, SharingNode } from '../sharing-view.ts';
import { shortenedLabel } from '../words.ts';
import { actionSigns } from './page-entry.ts';
import { type Links, type Point, spectralPlaces } from './spectral-places.ts';

/*
 * The positions of workspaces in the sharing diagram: labels in rows inside the box of their project, and boxes in rows
 * of the picture, so that labels never overlap. What is searched for is only their order, with the barycenter method:
 * in each round every workspace asks for the middle of those that it shares with, and all are sorted into rows again by
 * what they ask for. The round with the shortest lines is drawn.
 */

/** What has a size. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** What has a size and a place; `x` and `y` are its upper left corner. */
export interface Placed extends Size, Point {}

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
  const links = linksOf(graph);
  let best: SharingLayout | undefined;
  let shortest = Number.POSITIVE_INFINITY;
  for (const together of starts) {
    let wishes = spectralPlaces(graph.nodes, links, together);
    for (let round = 0; round <= rounds; round += 1) {
      const layout = arrange(graph, wishes);
      const length = totalLength(graph, layout);
      if (best === undefined || length < shortest) [best, shortest] = [layout, length];
      wishes = barycenters(graph, layout, links);
    }
  }
  return best ?? arrange(graph, []);
}

function linksOf({ nodes, edges }: SharingGraph): Links {
  const numbers = new Map(nodes.map(({ name }, index) => [name, index]));
  const links: number[][] = nodes.map(() => []);
  for (const { owner, reader } of edges) {
    const [from, to] = [numbers.get(owner), numbers.get(reader)];
    if (from === undefined || to === undefined) continue;
    links[from]?.push(to);
    links[to]?.push(from);
  }
  return links;
}

/** Half of the way from the position of each workspace to the center of those that it shares with. */
function barycenters({ nodes }: SharingGraph, layout: SharingLayout, links: Links): readonly Point[] {
  const places = nodes.map(({ name }) => middleOf(layout.nodes.get(name)));
  return places.map((own, index) => {
    const others = (links[index] ?? []).flatMap((other) => places[other] ?? []);
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

interface RowOptions {
  readonly gapX: number;
  readonly gapY: number;
  /** The intended ratio of width to height. */
  readonly ratio: number;
}

interface Rows<Item> extends Size {
  readonly items: readonly (Placed & { readonly item: Item })[];
}

/** `x` and `y` are the preferred center, in any scale. */
interface Wished extends Size, Point {}

/** Arranges items of any width in rows of about the same length, near their preferred position. */
function arrangeInRows<Item extends Wished>(
  items: readonly Item[],
  { gapX, gapY, ratio }: RowOptions,
): Rows<Item> {
  const total = items.reduce((sum, { width }) => sum + width + gapX, 0);
  const area = items.reduce((sum, { width, height }) => sum + (width + gapX) * (height + gapY), 0);
  const widest = Math.max(...items.map(({ width }) => width + gapX));
  const count = Math.max(1, Math.round(total / Math.max(widest, Math.sqrt(area * ratio))));

  const rows: Item[][] = Array.from({ length: count }, () => []);
  let passed = 0;
  for (const item of [...items].sort((a, b) => a.y - b.y)) {
    const middle = passed + (item.width + gapX) / 2;
    rows[Math.min(count - 1, Math.floor((middle / total) * count))]?.push(item);
    passed += item.width + gapX;
  }

  const placed: (Placed & { item: Item })[] = [];
  let [y, wholeWidth] = [0, 0];
  for (const row of rows.filter(({ length }) => length > 0)) {
    let x = 0;
    for (const item of row.sort((a, b) => a.x - b.x)) {
      placed.push({ item, x, y, width: item.width, height: item.height });
      x += item.width + gapX;
    }
    wholeWidth = Math.max(wholeWidth, x - gapX);
    y += Math.max(...row.map(({ height }) => height)) + gapY;
  }
  return { items: placed, width: wholeWidth, height: Math.max(0, y - gapY) };
}

/** The advance of a character of a fixed-width font at the size of the labels. */
const characterWidth = 7.25;
const longestLabel = 32;
const labelHeight = 22;

/** The name on one line, cut where it is very long. */
export function labelText({ name }: SharingNode): string {
  return shortenedLabel(escapeControls(name), longestLabel);
}

/** The sign before the name: the action of the plan. */
export function labelSign({ action }: SharingNode): string {
  return action === null ? '' : actionSigns[action];
}

/** The mark behind the name of a workspace whose state every workspace, or every one of its project, can read. */
export function globalSign({ global, inProject }: SharingNode): string {
  const signed = { kept: '∗', added: '+∗', removed: '−∗' };
  return [
    ...(global === null ? [] : [`${signed[global]} all`]),
    ...(inProject === null ? [] : [`${signed[inProject]} project`]),
  ].join(' ');
}

function nodeSize(node: SharingNode): Size {
  const sign = labelSign(node) === '' ? 0 : 2;
  const global = globalSign(node) === '' ? 0 : globalSign(node).length + 1;
  const width = Math.round((textWidth(labelText(node)) + sign + global) * characterWidth + 16);
  return { width, height: labelHeight };
}

export const labelMetrics = { characterWidth, labelHeight, inset: 8 } as const;

/** In characters; those of East Asian scripts and pictographs take two. */
export function textWidth(text: string): number {
  return [...text].reduce((sum, character) => sum + ((character.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1), 0);
}
