/** Moves and zooms a picture: a window on its drawing, held in the \`viewBox\`. */
export const pictureViewScript = `
function viewOf(svg) {
  const [left, top, width, height] = svg.getAttribute('viewBox').split(' ').map(Number);
  const whole = { left, top, width, height };
  let view = whole;
  let unit = 1;
  let fitted = false;
  const show = (next) => {
    view = next;
    fitted = false;
    unit = 1 / scale();
    // Titles stay legible while the whole is small.
    svg.style.setProperty('--title', Math.min(20, Math.max(13, 11.5 / scale())) + 'px');
    svg.setAttribute('viewBox', [next.left, next.top, next.width, next.height].map((n) => n.toFixed(1)).join(' '));
  };
  const scale = () => {
    const box = svg.getBoundingClientRect();
    return Math.max(0.01, Math.min(box.width / view.width, box.height / view.height));
  };
  // The window has the shape of the frame, so that a screen point is easily found in it.
  const frame = (next) => {
    const box = svg.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) return next;
    const grow = Math.max(next.width / box.width, next.height / box.height, next === whole ? 0.9 : 0) || 1;
    const [w, h] = [box.width * grow, box.height * grow];
    return { left: next.left - (w - next.width) / 2, top: next.top - (h - next.height) / 2, width: w, height: h };
  };
  const fit = () => { show(frame(whole)); fitted = true; };
  // After the frame has changed: the same middle at the same size, or still the whole.
  const reframe = () => {
    if (fitted) return fit();
    const box = svg.getBoundingClientRect();
    const [w, h] = [box.width * unit, box.height * unit];
    if (w * h > 0) show({ left: view.left + (view.width - w) / 2, top: view.top + (view.height - h) / 2, width: w, height: h });
  };
  const at = (x, y) => {
    const box = svg.getBoundingClientRect();
    return { x: view.left + ((x - box.left) / box.width) * view.width, y: view.top + ((y - box.top) / box.height) * view.height };
  };
  const zoom = (factor, point) => {
    const now = scale();
    const to = Math.min(3, Math.max(Math.min(0.08, now), now * factor)) / now;
    const middle = point ?? { x: view.left + view.width / 2, y: view.top + view.height / 2 };
    show({ left: middle.x - (middle.x - view.left) / to, top: middle.y - (middle.y - view.top) / to, width: view.width / to, height: view.height / to });
  };
  const move = (dx, dy) => {
    const now = scale();
    show({ ...view, left: view.left - dx / now, top: view.top - dy / now });
  };
  const bring = (x, y, width, height) => {
    const inside = x > view.left && y > view.top && x + width < view.left + view.width && y + height < view.top + view.height;
    if (!inside) show({ ...view, left: x + width / 2 - view.width / 2, top: y + height / 2 - view.height / 2 });
    if (scale() < 0.55) zoom(0.8 / scale(), { x: x + width / 2, y: y + height / 2 });
  };
  const reset = () => show(whole);
  const start = () => {
    fit();
    // On a narrow screen the whole would be too small to read: begin in the upper left corner.
    if (scale() < 0.4) { zoom(0.75 / scale()); show({ ...view, left, top }); }
  };
  return { fit, at, zoom, move, bring, reset, start, reframe, isRight: (x) => x > view.left + view.width * 0.55 };
}

function moveByHand(svg, view) {
  let last = null;
  let moved = 0;
  svg.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    view.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.004)), view.at(event.clientX, event.clientY));
  }, { passive: false });
  svg.addEventListener('pointerdown', (event) => {
    if (event.pointerType === 'touch' || event.button !== 0) return;
    last = event;
    moved = 0;
  });
  addEventListener('pointermove', (event) => {
    if (last === null) return;
    moved += Math.abs(event.clientX - last.clientX) + Math.abs(event.clientY - last.clientY);
    if (moved > 4) svg.classList.add('moving');
    view.move(event.clientX - last.clientX, event.clientY - last.clientY);
    last = event;
  });
  addEventListener('pointerup', () => { last = null; svg.classList.remove('moving'); });
  addEventListener('pointercancel', () => { last = null; svg.classList.remove('moving'); });
  // One finger scrolls the page, two move the picture.
  let pinch = null;
  const pinchOf = ({ touches: [a, b] }) => ({ x: (a.clientX + b.clientX) / 2, y: (a.clientY + b.clientY) / 2,
    span: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) || 1 });
  svg.addEventListener('touchstart', (event) => {
    pinch = event.touches.length === 2 ? pinchOf(event) : null;
    if (pinch) event.preventDefault();
  }, { passive: false });
  svg.addEventListener('touchmove', (event) => {
    if (pinch === null || event.touches.length !== 2) return;
    event.preventDefault();
    const next = pinchOf(event);
    view.move(next.x - pinch.x, next.y - pinch.y);
    view.zoom(next.span / pinch.span, view.at(next.x, next.y));
    pinch = next;
  }, { passive: false });
  return { dragged: () => moved > 4 };
}
`;
