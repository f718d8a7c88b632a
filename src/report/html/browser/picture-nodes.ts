import type { PicturePoint, PictureView } from './picture-view.ts';

export type NodePresence = 'added' | 'removed' | 'kept';

/** A workspace of the picture. */
export interface PictureNode {
  readonly element: SVGGElement;
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The arrows that begin or end here, and the marks on them. */
  readonly lines: PictureLine[];
}

export interface PictureLine {
  readonly element: SVGElement;
  readonly owner: PictureNode;
  readonly reader: PictureNode;
  readonly presence: NodePresence;
  /** An arrow; a mark on one otherwise. */
  readonly isArrow: boolean;
}

/** The workspaces of a picture with their arrows, by the numbers that the markup gives them. */
export function pictureNodes(svg: SVGSVGElement): ReadonlyMap<string, PictureNode> {
  const nodes = new Map<string, PictureNode>();
  for (const element of svg.querySelectorAll<SVGGElement>('.node')) {
    const place = element.transform.baseVal.consolidate()?.matrix;
    const label = element.querySelector('rect');
    if (!place || !label) continue;
    const [width, height] = [label.width.baseVal.value, label.height.baseVal.value];
    const name = element.dataset.name ?? '';
    nodes.set(element.dataset.node ?? '', {
      element,
      name,
      x: place.e,
      y: place.f,
      width,
      height,
      lines: [],
    });
    if (element.matches('.global.added, .global.removed')) element.classList.add('touched');
  }
  for (const element of svg.querySelectorAll<SVGElement>('.edge, .mark')) addLine(element, nodes);
  return nodes;
}

function addLine(element: SVGElement, nodes: ReadonlyMap<string, PictureNode>): void {
  const owner = nodes.get(element.dataset.owner ?? '');
  const reader = nodes.get(element.dataset.reader ?? '');
  if (!owner || !reader) return;
  const presence = (['added', 'removed'] as const).find((one) => element.classList.contains(one)) ?? 'kept';
  const isArrow = element.classList.contains('edge');
  for (const node of [owner, reader]) {
    node.lines.push({ element, owner, reader, presence, isArrow });
    if (presence !== 'kept') node.element.classList.add('touched');
  }
}

/** The nearest workspace in a direction. */
export function nearestNode(
  nodes: Iterable<PictureNode>,
  from: PictureNode,
  direction: PicturePoint,
): PictureNode | undefined {
  const start = middleOf(from);
  let best: { readonly node: PictureNode; readonly cost: number } | undefined;
  for (const node of nodes) {
    const to = middleOf(node);
    const along = (to.x - start.x) * direction.x + (to.y - start.y) * direction.y;
    const aside = Math.abs((to.x - start.x) * direction.y) + Math.abs((to.y - start.y) * direction.x);
    const cost = along + aside * 2.5;
    if (node !== from && along > 2 && (best === undefined || cost < best.cost)) best = { node, cost };
  }
  return best?.node;
}

function middleOf({ x, y, width, height }: PictureNode): PicturePoint {
  return { x: x + width / 2, y: y + height / 2 };
}

const presenceSigns: Readonly<Record<NodePresence, string>> = { added: '+ ', removed: '\u2212 ', kept: '' };

/** Shows one workspace next to the diagram: its project, its notes, its readers, and the workspaces whose state it reads. */
export function showNode(panel: HTMLElement, node: PictureNode | undefined, view: PictureView): void {
  panel.replaceChildren();
  if (node === undefined) return;
  panel.classList.toggle('left', view.isRight(node.x + node.width / 2));
  const { project, notes, change } = node.element.dataset;
  append(panel, 'h4', node.name);
  if (project) append(panel, 'p', `in ${project}`, 'aside');
  if (notes) append(panel, 'p', notes, node.element.classList.contains('global') ? 'warning' : '');
  if (change) append(append(panel, 'p'), 'a', 'Show the change').href = `#${change}`;
  const arrows = node.lines.filter(({ isArrow }) => isArrow);
  const readers = arrows.filter(({ owner }) => owner === node);
  const owners = arrows.filter(({ reader }) => reader === node);
  showNames(
    panel,
    'State is read by',
    readers.map(({ reader, presence }) => ({ name: reader.name, presence })),
  );
  showNames(
    panel,
    'Reads the state of',
    owners.map(({ owner, presence }) => ({ name: owner.name, presence })),
  );
}

interface Named {
  readonly name: string;
  readonly presence: NodePresence;
}

function showNames(panel: HTMLElement, title: string, names: readonly Named[]): void {
  append(panel, 'h5', `${title} (${names.length})`);
  if (names.length === 0) return;
  const list = append(panel, 'ul');
  for (const { name, presence } of names) append(list, 'li', presenceSigns[presence] + name, presence);
}

/** Shows how many workspaces a search has found, where it has not found exactly one. */
export function showMatches(panel: HTMLElement, count: number): void {
  const text =
    count === 0
      ? 'No workspace in the diagram matches.'
      : `${count} workspaces match. Press Enter for the next one.`;
  panel.replaceChildren();
  append(panel, 'p', text, 'aside');
}

function append<Tag extends keyof HTMLElementTagNameMap>(
  parent: HTMLElement,
  tag: Tag,
  text = '',
  classes = '',
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  element.textContent = text;
  if (classes !== '') element.className = classes;
  return parent.appendChild(element);
}
