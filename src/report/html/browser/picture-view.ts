export interface PicturePoint {
  readonly x: number;
  readonly y: number;
}

/** A rectangle of the drawing. */
interface Frame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** What of the drawing is seen, held in the `viewBox`. */
export interface PictureView {
  /** Shows the whole drawing. */
  fit(): void;
  /** Fits the frame after its size has changed: the same middle at the same size, or still the whole drawing. */
  reframe(): void;
  /** Shows the drawing as the markup has it. */
  reset(): void;
  /** The point of the drawing at a point of the window. */
  at(x: number, y: number): PicturePoint;
  zoom(factor: number, point?: PicturePoint): void;
  /** Moves by a distance of the window. */
  move(dx: number, dy: number): void;
  /** Moves a rectangle of the drawing into the frame, and enlarges it where it is too small to read. */
  bring(x: number, y: number, width: number, height: number): void;
  /** Whether a point is in the right part of the frame. */
  isRight(x: number): boolean;
}

export function pictureView(svg: SVGSVGElement): PictureView {
  const { x: left, y: top, width, height } = svg.viewBox.baseVal;
  const whole: Frame = { left, top, width, height };
  let view = whole;
  /** Units of the drawing per pixel. */
  let unit = 1;
  let isFitted = false;

  const scale = () => {
    const box = svg.getBoundingClientRect();
    return Math.max(0.01, Math.min(box.width / view.width, box.height / view.height));
  };
  const show = (next: Frame) => {
    view = next;
    isFitted = false;
    unit = 1 / scale();
    // Titles stay legible while the drawing is small.
    svg.style.setProperty('--title', `${Math.min(20, Math.max(13, 11.5 / scale()))}px`);
    const parts = [next.left, next.top, next.width, next.height];
    svg.setAttribute('viewBox', parts.map((part) => part.toFixed(1)).join(' '));
  };
  // With the shape of the frame, a point of the window is found in the drawing by a proportion.
  const framed = (): Frame => {
    const box = svg.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) return whole;
    return around(middleOf(whole), box, Math.max(width / box.width, height / box.height, 0.9));
  };
  const showWhole = () => {
    show(framed());
    isFitted = true;
  };
  const reframe = () => {
    if (isFitted) return showWhole();
    const box = svg.getBoundingClientRect();
    if (box.width * box.height > 0) show(around(middleOf(view), box, unit));
  };
  const at = (x: number, y: number) => {
    const box = svg.getBoundingClientRect();
    return {
      x: view.left + ((x - box.left) / box.width) * view.width,
      y: view.top + ((y - box.top) / box.height) * view.height,
    };
  };
  const zoom = (factor: number, point = middleOf(view)) => {
    const now = scale();
    const by = Math.min(3, Math.max(Math.min(0.08, now), now * factor)) / now;
    show({
      left: point.x - (point.x - view.left) / by,
      top: point.y - (point.y - view.top) / by,
      width: view.width / by,
      height: view.height / by,
    });
  };
  const move = (dx: number, dy: number) => {
    const now = scale();
    show({ ...view, left: view.left - dx / now, top: view.top - dy / now });
  };
  const bring = (x: number, y: number, wide: number, high: number) => {
    const isInside =
      x > view.left && y > view.top && x + wide < view.left + view.width && y + high < view.top + view.height;
    const middle = { x: x + wide / 2, y: y + high / 2 };
    if (!isInside) show({ ...view, left: middle.x - view.width / 2, top: middle.y - view.height / 2 });
    if (scale() < 0.55) zoom(0.8 / scale(), middle);
  };

  showWhole();
  // On a narrow screen the whole drawing would be too small to read: begin in its upper left corner.
  if (scale() < 0.4) {
    zoom(0.75 / scale());
    show({ ...view, left, top });
  }
  return {
    fit: showWhole,
    reframe,
    at,
    zoom,
    move,
    bring,
    reset: () => show(whole),
    isRight: (x) => x > view.left + view.width * 0.55,
  };
}

function middleOf({ left, top, width, height }: Frame): PicturePoint {
  return { x: left + width / 2, y: top + height / 2 };
}

/** A frame of the shape of a box, with so many units per pixel. */
function around({ x, y }: PicturePoint, box: DOMRect, unit: number): Frame {
  const [width, height] = [box.width * unit, box.height * unit];
  return { left: x - width / 2, top: y - height / 2, width, height };
}
