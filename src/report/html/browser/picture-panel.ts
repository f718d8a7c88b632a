import type { NodePresence, PictureNode } from './picture-nodes.ts';
import type { PictureView } from './picture-view.ts';

const signs: Readonly<Record<NodePresence, string>> = { added: '+ ', removed: '\u2212 ', kept: '' };

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
  for (const { name, presence } of names) append(list, 'li', signs[presence] + name, presence);
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
