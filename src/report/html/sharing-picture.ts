import { workspaceAddress } from '../../model/state.ts';
import { escapeControls } from '../escape-controls.ts';
import type { Presence, SharingGraph, SharingNode } from '../sharing-view.ts';
import { shortenedLabel } from '../words.ts';
import { type Html, html } from './escape.ts';
import type { PageEntry } from './page-entry.ts';
import { type Curve, curveBetween, obstaclesOf } from './sharing-curve.ts';
import {
  globalSign,
  labelMetrics,
  labelSign,
  labelText,
  layoutSharing,
  type PlacedGroup,
  type PlacedNode,
  type SharingLayout,
  textWidth,
} from './sharing-layout.ts';

const margin = 14;
const drawingOrder = ['kept', 'removed', 'added'] as const;

/** The picture: projects as boxes, workspaces as labels in them, and an arrow from each state to its readers. */
export function sharingPicture(graph: SharingGraph, entry: PageEntry): Html {
  const layout = layoutSharing(graph);
  const numbers = new Map(graph.nodes.map(({ name }, index) => [name, index]));
  const id = `${entry.prefix}-picture`;
  const edges = drawnEdges(graph, layout, numbers);
  const { left, top, width, height } = windowOn(layout, edges);
  return html`<svg class="picture" id="${id}" viewBox="${left} ${top} ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="State sharing; the tables below have the same data">
<defs>${drawingOrder.map((presence) => arrowHead(presence, id))}</defs>
<g aria-hidden="true">${layout.groups.map(groupBox)}</g>
<g class="edges" aria-hidden="true">${edges.map((edge) => edgeLine(edge, id))}</g>
<g class="nodes">${graph.nodes.map((node) => nodeLabel(layout.nodes.get(node.name), numbers, entry))}</g>
<g class="marks" aria-hidden="true">${edges.map(edgeMark)}</g>
</svg>`;
}

/** What is seen of the plane: all boxes, and the lines that bow out of them. */
function windowOn({ width, height }: SharingLayout, edges: readonly DrawnEdge[]) {
  const bulges = edges.map(({ curve }) => curve.bulge);
  const left = Math.floor(bulges.reduce((least, { x }) => Math.min(least, x), 0)) - margin;
  const top = Math.floor(bulges.reduce((least, { y }) => Math.min(least, y), 0)) - margin;
  const right = Math.ceil(bulges.reduce((most, { x }) => Math.max(most, x), width)) + margin;
  const bottom = Math.ceil(bulges.reduce((most, { y }) => Math.max(most, y), height)) + margin;
  return { left, top, width: right - left, height: bottom - top };
}

function arrowHead(presence: Presence, id: string): Html {
  return html`<marker id="${id}-${presence}" class="head ${presence}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z"/></marker>`;
}

const titleHeight = 28;

function groupBox(group: PlacedGroup): Html {
  const { x, y, width, height } = group;
  return html`<g class="group"><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="10"/><text x="${x + 16}" y="${y + 20}">${titleText(group)}</text></g>`;
}

function titleText({ project, width }: PlacedGroup): string {
  return shortenedLabel(
    escapeControls(project ?? 'project unknown'),
    Math.max(8, Math.floor((width - 24) / 8.6)),
  );
}

interface DrawnEdge {
  readonly presence: Presence;
  /** The numbers of the two workspaces. */
  readonly owner: number;
  readonly reader: number;
  readonly curve: Curve;
}

/** The edges with their lines; what changes is drawn last and lies on top. */
function drawnEdges(
  { edges }: SharingGraph,
  { nodes, groups }: SharingLayout,
  numbers: ReadonlyMap<string, number>,
): readonly DrawnEdge[] {
  const titles = groups.map((group) => ({
    ...group,
    height: titleHeight,
    width: 20 + titleText(group).length * 8.6,
  }));
  const obstacles = obstaclesOf([...nodes.values(), ...titles]);
  const ordered = drawingOrder.flatMap((presence) => edges.filter((edge) => edge.presence === presence));
  return ordered.flatMap(({ owner, reader, presence }): DrawnEdge[] => {
    const [from, to] = [nodes.get(owner), nodes.get(reader)];
    if (from === undefined || to === undefined) return [];
    const curve = curveBetween(from, to, obstacles);
    return [{ presence, owner: numbers.get(owner) ?? 0, reader: numbers.get(reader) ?? 0, curve }];
  });
}

function edgeLine({ owner, reader, presence, curve }: DrawnEdge, id: string): Html {
  return html`<path class="edge ${presence}" data-owner="${owner}" data-reader="${reader}" d="${curve.path}" marker-end="url(#${id}-${presence})"/>`;
}

/** A sign marks what is added or removed, in addition to color and line. */
function edgeMark({ owner, reader, presence, curve }: DrawnEdge): Html | undefined {
  if (presence === 'kept') return undefined;
  const sign = presence === 'added' ? 'M-3 0H3M0 -3V3' : 'M-3 0H3';
  return html`<g class="mark ${presence}" data-owner="${owner}" data-reader="${reader}" transform="translate(${curve.mark.x} ${curve.mark.y})"><circle r="6"/><path d="${sign}"/></g>`;
}

function nodeLabel(
  placed: PlacedNode | undefined,
  numbers: ReadonlyMap<string, number>,
  entry: PageEntry,
): Html | undefined {
  if (placed === undefined) return undefined;
  const { node, x, y, width, height } = placed;
  const { name, project, action, global } = node;
  const change = entry.changeIds.get(escapeControls(workspaceAddress(name)));
  const notes = nodeNotes(node, entry);
  const { inset, characterWidth, labelHeight } = labelMetrics;
  const sign = labelSign(node);
  const start = inset + (sign === '' ? 0 : 2 * characterWidth);
  const all = globalSign(node);
  const classes = [
    'node',
    action ?? '',
    global === null ? '' : `global ${global}`,
    node.unread ? 'unread' : '',
  ];
  // Characters without a fixed width are fitted into the width that was computed for them.
  const label = labelText(node);
  const fit =
    !/^[\x20-\x7E…]*$/.test(label) &&
    html` textLength="${Math.round(textWidth(label) * characterWidth)}" lengthAdjust="spacingAndGlyphs"`;
  return html`<g class="${classes.filter((one) => one !== '').join(' ')}" data-node="${numbers.get(name)}" data-name="${name}" data-project="${project ?? ''}"${change !== undefined && html` data-change="${change}"`}${notes !== '' && html` data-notes="${notes}"`} transform="translate(${x} ${y})"><title>${name}${notes !== '' && ` - ${notes}`}</title><rect width="${width}" height="${height}" rx="6"/>${sign !== '' && html`<text class="sign" x="${inset}" y="15">${sign}</text>`}<text x="${start}" y="${labelHeight - 7}"${fit}>${label}</text>${all !== '' && html`<text class="all" x="${width - inset}" y="15" text-anchor="end">${all}</text>`}</g>
`;
}

/** The details that have no space in a label. */
function nodeNotes(
  { global, inProject, unread, foreign, action }: SharingNode,
  { wording }: PageEntry,
): string {
  const notes = [
    ...(action === null ? [] : [`${wording.actions[action]}.`]),
    ...(global === null ? [] : [globalMeaning[global]]),
    ...(inProject === null ? [] : [projectMeaning[inProject]]),
    ...(foreign ? ['This workspace was not read.'] : []),
    ...(unread && !foreign ? ['Its readers are unknown: the list was not read.'] : []),
  ];
  return notes.join(' ');
}

const globalMeaning: Readonly<Record<Presence, string>> = {
  kept: 'Shared with all: every workspace of the organization can read its state.',
  added: 'Becomes shared with all: every workspace of the organization will be able to read its state.',
  removed: 'No longer shared with all: only the workspaces on its list will be able to read its state.',
};

const projectMeaning: Readonly<Record<Presence, string>> = {
  kept: 'Shared with its project: every workspace of the project can read its state.',
  added: 'Becomes shared with its project: every workspace of the project will be able to read its state.',
  removed: 'No longer shared with its project.',
};
