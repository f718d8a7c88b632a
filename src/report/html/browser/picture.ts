import { type PictureHand, pictureHand } from './picture-hand.ts';
import { nearestNode, type PictureNode, pictureNodes, showMatches, showNode } from './picture-nodes.ts';
import { type PictureView, pictureView } from './picture-view.ts';

/** Starts every picture of state sharing: pointer, keyboard, search and tools. */
export function startPictures(): void {
  for (const figure of document.querySelectorAll<HTMLElement>('figure[data-picture]')) {
    const svg = document.querySelector<SVGSVGElement>(`#${figure.dataset.picture}`);
    const panel = figure.querySelector<HTMLElement>('.panel');
    if (!svg || !panel) continue;
    // In a closed fold it has no size.
    const fold = figure.closest('details');
    const start = () => startPicture(figure, svg, panel);
    if (!fold || fold.open) start();
    else fold.addEventListener('toggle', start, { once: true });
  }
}

interface Picture {
  readonly figure: HTMLElement;
  readonly svg: SVGSVGElement;
  readonly panel: HTMLElement;
  readonly nodes: ReadonlyMap<string, PictureNode>;
  readonly view: PictureView;
  readonly hand: PictureHand;
  readonly focus: Focus;
}

function startPicture(figure: HTMLElement, svg: SVGSVGElement, panel: HTMLElement): void {
  const nodes = pictureNodes(svg);
  figure.classList.add('live');
  for (const part of figure.querySelectorAll<HTMLElement>('.tools, .keys')) part.hidden = false;
  const { width, height } = svg.viewBox.baseVal;
  const measure = () => {
    const size = Math.min(1.1, (svg.parentElement?.clientWidth ?? width) / width);
    svg.style.setProperty('--fit-height', `${Math.ceil(size * height)}px`);
  };
  measure();
  const view = pictureView(svg);
  const hand = pictureHand(svg, view);
  const focus = focusOn(svg, (node) => showNode(panel, node, view));
  addEventListener('resize', () => {
    measure();
    view.reframe();
  });
  addEventListener('beforeprint', () => view.reset());
  addEventListener('afterprint', () => view.fit());
  const picture = { figure, svg, panel, nodes, view, hand, focus };
  startNodes(picture);
  startSearch(picture);
  startTools(picture);
}

/** Which workspace is highlighted. */
interface Focus {
  /** The workspace that stays chosen until it is released. */
  held(): PictureNode | undefined;
  hold(node: PictureNode | undefined): void;
  /** Highlights a workspace unless one is selected. */
  point(node: PictureNode | undefined): void;
}

function focusOn(svg: SVGSVGElement, show: (node: PictureNode | undefined) => void): Focus {
  let held: PictureNode | undefined;
  let shown: PictureNode | undefined;
  const light = (node: PictureNode | undefined) => {
    if (node === shown) return;
    shown = node;
    for (const element of svg.querySelectorAll('.near, .chosen')) element.classList.remove('near', 'chosen');
    svg.classList.toggle('focused', node !== undefined);
    show(node);
    node?.element.classList.add('chosen');
    for (const { element, owner, reader } of node?.lines ?? []) {
      for (const near of [element, owner.element, reader.element]) near.classList.add('near');
    }
  };
  return {
    held: () => held,
    hold: (node) => {
      held?.element.setAttribute('aria-pressed', 'false');
      held = node;
      held?.element.setAttribute('aria-pressed', 'true');
      light(node);
    },
    point: (node) => {
      if (held === undefined) light(node);
    },
  };
}

const directions: Readonly<Record<string, { readonly x: number; readonly y: number }>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

/** Pointer, click and keyboard. Tab reaches the picture once; arrow keys go from workspace to workspace. */
function startNodes(picture: Picture): void {
  const { svg, nodes, view, hand, focus } = picture;
  const all = [...nodes.values()];
  const [first] = all;
  if (first === undefined) return;
  let current = first;
  const enter = (node: PictureNode) => {
    current.element.setAttribute('tabindex', '-1');
    current = node;
    current.element.setAttribute('tabindex', '0');
  };
  svg.setAttribute('role', 'group');
  svg.setAttribute('aria-label', 'State sharing. Arrow keys move between workspaces.');
  for (const node of all) {
    const { element } = node;
    makeButton(node);
    element.addEventListener('pointerenter', () => focus.point(node));
    element.addEventListener('pointerleave', () => focus.point(undefined));
    element.addEventListener('blur', () => focus.point(undefined));
    element.addEventListener('focus', () => {
      enter(node);
      if (!element.matches(':focus-visible')) return;
      view.bring(node.x, node.y, node.width, node.height);
      if (focus.held() !== node) focus.hold(undefined);
      focus.point(node);
    });
  }
  enter(first);
  svg.addEventListener('click', ({ target }) => {
    if (hand.hasDragged()) return;
    const element = target instanceof Element ? target.closest<SVGElement>('.node') : null;
    const node = nodes.get(element?.dataset.node ?? '');
    focus.hold(node === focus.held() ? undefined : node);
  });
  startKeys(picture, all, () => current);
}

/** The keys of the picture, which begin at the workspace that has the focus. */
function startKeys(
  { svg, view, focus }: Picture,
  all: readonly PictureNode[],
  currentNode: () => PictureNode,
): void {
  const choose = () => focus.hold(focus.held() === currentNode() ? undefined : currentNode());
  const keys: Readonly<Record<string, () => void>> = {
    Enter: choose,
    ' ': choose,
    Escape: () => focus.hold(undefined),
    '+': () => view.zoom(1.3),
    '=': () => view.zoom(1.3),
    '-': () => view.zoom(1 / 1.3),
    '0': () => view.fit(),
    Home: () => all[0]?.element.focus(),
    End: () => all.at(-1)?.element.focus(),
  };
  svg.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = directions[event.key];
    if (direction) nearestNode(all, currentNode(), direction)?.element.focus();
    else if (keys[event.key]) keys[event.key]?.();
    else return;
    event.preventDefault();
  });
}

function makeButton({ element, name }: PictureNode): void {
  const { project, notes } = element.dataset;
  const label = [name, project && `in ${project}`, notes].filter(Boolean).join(', ');
  element.setAttribute('role', 'button');
  element.setAttribute('tabindex', '-1');
  element.setAttribute('aria-pressed', 'false');
  element.setAttribute('aria-label', label);
}

/** Marks the workspaces whose names hold a text; Enter goes from one to the next. */
function startSearch({ figure, svg, panel, nodes, view, focus }: Picture): void {
  const search = figure.querySelector<HTMLInputElement>('input[type=search]');
  if (!search) return;
  const all = [...nodes.values()];
  let turn = 0;
  const matches = () => {
    const text = search.value.trim().toLowerCase();
    return text === '' ? [] : all.filter(({ name }) => name.toLowerCase().includes(text));
  };
  const bring = ({ x, y, width, height }: PictureNode) => view.bring(x, y, width, height);
  search.addEventListener('input', () => {
    turn = 0;
    const found = matches();
    const [first] = found;
    svg.classList.toggle('finding', search.value.trim() !== '');
    for (const node of all) node.element.classList.toggle('match', found.includes(node));
    focus.hold(undefined);
    if (found.length === 1) focus.hold(first);
    if (first) bring(first);
    if (found.length !== 1 && search.value.trim() !== '') showMatches(panel, found.length);
  });
  search.addEventListener('keydown', (event) => {
    const found = matches();
    const node = found[turn % found.length];
    if (event.key !== 'Enter' || node === undefined) return;
    event.preventDefault();
    turn += 1;
    focus.hold(node);
    bring(node);
  });
}

function startTools({ figure, svg, view }: Picture): void {
  const tools: Readonly<Record<string, () => void>> = {
    in: () => view.zoom(1.3),
    out: () => view.zoom(1 / 1.3),
    fit: () => view.fit(),
  };
  figure.addEventListener('click', ({ target }) => {
    const tool =
      target instanceof Element ? target.closest<HTMLElement>('[data-tool]')?.dataset.tool : undefined;
    tools[tool ?? '']?.();
  });
  const changes = figure.querySelector<HTMLInputElement>('[data-tool=changes]');
  changes?.addEventListener('change', () => svg.classList.toggle('only', changes.checked));
}
