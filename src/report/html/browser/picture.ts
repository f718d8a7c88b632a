/** Answers pointer, keyboard and search in the picture of state sharing; tells of one workspace beside it. */
export const pictureScript = `
for (const figure of document.querySelectorAll('figure[data-picture]')) {
  const svg = document.getElementById(figure.dataset.picture);
  const panel = figure.querySelector('.panel');
  const nodes = Array.from(svg.querySelectorAll('.node'), (element) => {
    const { e, f } = element.transform.baseVal.consolidate().matrix;
    const rect = element.firstElementChild.nextElementSibling;
    return { element, x: e, y: f, width: rect.width.baseVal.value, height: rect.height.baseVal.value, name: element.dataset.name, lines: [] };
  });
  const byNumber = new Map(nodes.map((node) => [node.element.dataset.node, node]));
  for (const line of svg.querySelectorAll('.edge, .mark')) {
    const owner = byNumber.get(line.dataset.owner);
    const reader = byNumber.get(line.dataset.reader);
    const presence = ['added', 'removed'].find((one) => line.classList.contains(one)) ?? 'kept';
    for (const node of [owner, reader]) {
      node.lines.push({ line, owner, reader, presence, told: line.classList.contains('edge') });
      if (presence !== 'kept') node.element.classList.add('touched');
    }
  }
  for (const { element } of nodes) if (element.matches('.global.added, .global.removed')) element.classList.add('touched');

  figure.classList.add('live');
  for (const part of figure.querySelectorAll('.tools, .keys')) part.hidden = false;
  const { width, height } = svg.viewBox.baseVal;
  const measure = () => {
    const size = Math.min(1.1, svg.parentElement.clientWidth / width);
    svg.style.setProperty('--fit-height', Math.ceil(size * height) + 'px');
  };
  measure();
  const view = viewOf(svg);
  const hand = moveByHand(svg, view);
  view.start();
  addEventListener('resize', () => { measure(); view.reframe(); });

  const add = (parent, tag, text, classes) => {
    const element = document.createElement(tag);
    if (text) element.textContent = text;
    if (classes) element.className = classes;
    return parent.appendChild(element);
  };
  const signs = { added: '+ ', removed: '\\u2212 ', kept: '' };
  const listed = (title, entries) => {
    add(panel, 'h5', title + ' (' + entries.length + ')');
    if (entries.length === 0) return;
    const list = add(panel, 'ul');
    for (const [name, presence] of entries) add(list, 'li', signs[presence] + name, presence);
  };
  const tell = (node) => {
    panel.replaceChildren();
    if (!node) return;
    panel.classList.toggle('left', view.isRight(node.x + node.width / 2));
    const { project, notes, change } = node.element.dataset;
    add(panel, 'h4', node.name);
    if (project) add(panel, 'p', 'in ' + project, 'aside');
    if (notes) add(panel, 'p', notes, node.element.classList.contains('global') ? 'warning' : '');
    if (change) add(add(panel, 'p'), 'a', 'its change').href = '#' + change;
    const told = node.lines.filter((line) => line.told);
    listed('Its state may be read by', told.filter((line) => line.owner === node).map((line) => [line.reader.name, line.presence]));
    listed('It may read the state of', told.filter((line) => line.reader === node).map((line) => [line.owner.name, line.presence]));
  };

  let held = null;
  let shown = null;
  const light = (node) => {
    if (node === shown) return;
    shown = node;
    for (const element of svg.querySelectorAll('.near, .chosen')) element.classList.remove('near', 'chosen');
    svg.classList.toggle('focused', node !== null);
    tell(node);
    if (node === null) return;
    node.element.classList.add('chosen');
    for (const { line, owner, reader } of node.lines) {
      for (const element of [line, owner.element, reader.element]) element.classList.add('near');
    }
  };
  const hold = (node) => {
    if (held) held.element.setAttribute('aria-pressed', 'false');
    held = node;
    if (held) held.element.setAttribute('aria-pressed', 'true');
    light(node);
  };

  svg.setAttribute('role', 'group');
  svg.setAttribute('aria-label', 'Who may read whose state. Arrow keys go from workspace to workspace.');
  for (const node of nodes) {
    const { element } = node;
    element.setAttribute('role', 'button');
    element.setAttribute('tabindex', '-1');
    element.setAttribute('aria-pressed', 'false');
    element.setAttribute('aria-label', [node.name, element.dataset.project && 'in ' + element.dataset.project, element.dataset.notes].filter(Boolean).join(', '));
    element.addEventListener('pointerenter', () => { if (!held) light(node); });
    element.addEventListener('pointerleave', () => { if (!held) light(null); });
    element.addEventListener('focus', () => { enter(node); if (element.matches(':focus-visible')) { view.bring(node.x, node.y, node.width, node.height); if (held && held !== node) hold(null); light(node); } });
    element.addEventListener('blur', () => { if (!held) light(null); });
  }
  let current = nodes[0];
  const enter = (node) => {
    current.element.setAttribute('tabindex', '-1');
    current = node;
    current.element.setAttribute('tabindex', '0');
  };
  if (current) enter(current);
  svg.addEventListener('click', (event) => {
    if (hand.dragged()) return;
    const element = event.target.closest('.node');
    const node = element && byNumber.get(element.dataset.node);
    hold(node && node !== held ? node : null);
  });

  const middle = (node) => ({ x: node.x + node.width / 2, y: node.y + node.height / 2 });
  const nearest = (from, [dx, dy]) => {
    const start = middle(from);
    let best = null;
    for (const node of nodes) {
      const to = middle(node);
      const along = (to.x - start.x) * dx + (to.y - start.y) * dy;
      const aside = Math.abs((to.x - start.x) * dy) + Math.abs((to.y - start.y) * dx);
      const cost = along + aside * 2.5;
      if (node !== from && along > 2 && (best === null || cost < best.cost)) best = { node, cost };
    }
    return best && best.node;
  };
  const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  svg.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = ways[event.key] && nearest(current, ways[event.key]);
    if (next) next.element.focus();
    else if (event.key === 'Enter' || event.key === ' ') hold(held === current ? null : current);
    else if (event.key === 'Escape') { hold(null); }
    else if (event.key === '+' || event.key === '=') view.zoom(1.3);
    else if (event.key === '-') view.zoom(1 / 1.3);
    else if (event.key === '0') view.fit();
    else if (event.key === 'Home') nodes[0].element.focus();
    else if (event.key === 'End') nodes[nodes.length - 1].element.focus();
    else if (!ways[event.key]) return;
    event.preventDefault();
  });

  const search = figure.querySelector('input[type=search]');
  let turn = 0;
  const matches = () => {
    const text = search.value.trim().toLowerCase();
    return text === '' ? [] : nodes.filter((node) => node.name.toLowerCase().includes(text));
  };
  search.addEventListener('input', () => {
    turn = 0;
    const found = new Set(matches());
    svg.classList.toggle('finding', search.value.trim() !== '');
    for (const node of nodes) node.element.classList.toggle('match', found.has(node));
    hold(null);
    if (found.size === 1) hold([...found][0]);
    const [first] = found;
    if (first) view.bring(first.x, first.y, first.width, first.height);
    if (found.size !== 1 && search.value.trim() !== '') {
      panel.replaceChildren();
      add(panel, 'p', found.size === 0 ? 'No workspace in the picture has that in its name.' : found.size + ' workspaces match. Enter goes from one to the next.', 'aside');
    }
  });
  search.addEventListener('keydown', (event) => {
    const found = matches();
    if (event.key !== 'Enter' || found.length === 0) return;
    event.preventDefault();
    const node = found[turn++ % found.length];
    hold(node);
    view.bring(node.x, node.y, node.width, node.height);
  });
  figure.addEventListener('click', (event) => {
    const tool = event.target.closest('[data-tool]')?.dataset.tool;
    if (tool === 'in') view.zoom(1.3);
    if (tool === 'out') view.zoom(1 / 1.3);
    if (tool === 'fit') view.fit();
  });
  figure.querySelector('[data-tool=changes]').addEventListener('change', (event) => svg.classList.toggle('only', event.target.checked));
  addEventListener('beforeprint', () => view.reset());
  addEventListener('afterprint', () => view.fit());
}
`;
