import type { PictureView } from './picture-view.ts';

/** Moves and zooms a picture with the mouse, the wheel and two fingers. */
export interface PictureHand {
  /** Whether the last press of the button moved the picture, so that its click chooses nothing. */
  hasDragged(): boolean;
}

export function pictureHand(svg: SVGSVGElement, view: PictureView): PictureHand {
  zoomByWheel(svg, view);
  zoomByFingers(svg, view);
  return dragByMouse(svg, view);
}

function zoomByWheel(svg: SVGSVGElement, view: PictureView): void {
  const zoom = (event: WheelEvent) => {
    // The wheel alone scrolls the page.
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const speed = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 0.05 : 0.004;
    view.zoom(Math.exp(-event.deltaY * speed), view.at(event.clientX, event.clientY));
  };
  svg.addEventListener('wheel', zoom, { passive: false });
}

function dragByMouse(svg: SVGSVGElement, view: PictureView): PictureHand {
  let last: PointerEvent | undefined;
  let moved = 0;
  svg.addEventListener('pointerdown', (event) => {
    if (event.pointerType === 'touch' || event.button !== 0) return;
    last = event;
    moved = 0;
  });
  addEventListener('pointermove', (event) => {
    if (last === undefined) return;
    const [dx, dy] = [event.clientX - last.clientX, event.clientY - last.clientY];
    moved += Math.abs(dx) + Math.abs(dy);
    if (moved > 4) svg.classList.add('moving');
    view.move(dx, dy);
    last = event;
  });
  const end = () => {
    last = undefined;
    svg.classList.remove('moving');
  };
  addEventListener('pointerup', end);
  addEventListener('pointercancel', end);
  return { hasDragged: () => moved > 4 };
}

interface Pinch {
  readonly x: number;
  readonly y: number;
  readonly span: number;
}

/** One finger scrolls the page, two move the picture. */
function zoomByFingers(svg: SVGSVGElement, view: PictureView): void {
  let pinch: Pinch | undefined;
  const start = (event: TouchEvent) => {
    pinch = pinchOf(event);
    if (pinch) event.preventDefault();
  };
  const move = (event: TouchEvent) => {
    const next = pinchOf(event);
    if (pinch === undefined || next === undefined) return;
    event.preventDefault();
    view.move(next.x - pinch.x, next.y - pinch.y);
    view.zoom(next.span / pinch.span, view.at(next.x, next.y));
    pinch = next;
  };
  svg.addEventListener('touchstart', start, { passive: false });
  svg.addEventListener('touchmove', move, { passive: false });
}

function pinchOf({ touches }: TouchEvent): Pinch | undefined {
  const [a, b] = touches;
  if (a === undefined || b === undefined || touches.length !== 2) return undefined;
  return {
    x: (a.clientX + b.clientX) / 2,
    y: (a.clientY + b.clientY) / 2,
    span: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) || 1,
  };
}
