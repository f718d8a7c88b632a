import type { PicturePoint } from './picture-view.ts';

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

/** The nearestNode workspace in a direction. */
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
