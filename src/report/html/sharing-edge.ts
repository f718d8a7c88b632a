import type { Placed } from './rows.ts';

export interface Curve {
  /** The path from the owner's label to the reader's. */
  readonly path: string;
  /** The middle of it, for a mark. */
  readonly middle: Point;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A bowed line, so that two workspaces that read each other have two lines, and neighbours in a row pass those between. */
export function curveBetween(owner: Placed, reader: Placed): Curve {
  const [from, to] = [middleOf(owner), middleOf(reader)];
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const distance = Math.max(1, Math.sqrt(dx * dx + dy * dy));
  const level = Math.abs(dy) < 4;
  const bow = Math.min(70, level ? 30 + distance * 0.06 : 10 + distance * 0.1);
  const control = {
    x: (from.x + to.x) / 2 - (dy / distance) * bow,
    y: (from.y + to.y) / 2 + (dx / distance) * bow,
  };
  const start = edgeOf(owner, control, 0);
  const end = edgeOf(reader, control, 3);
  return {
    path: `M${round(start.x)} ${round(start.y)}Q${round(control.x)} ${round(control.y)} ${round(end.x)} ${round(end.y)}`,
    middle: {
      x: round(0.25 * start.x + 0.5 * control.x + 0.25 * end.x),
      y: round(0.25 * start.y + 0.5 * control.y + 0.25 * end.y),
    },
  };
}

function middleOf({ x, y, width, height }: Placed): Point {
  return { x: x + width / 2, y: y + height / 2 };
}

/** Where the line from the middle of a label to a point leaves the label. */
function edgeOf(label: Placed, toward: Point, gap: number): Point {
  const middle = middleOf(label);
  const [dx, dy] = [toward.x - middle.x, toward.y - middle.y];
  const scale = Math.min(
    (label.width / 2 + gap) / Math.max(0.001, Math.abs(dx)),
    (label.height / 2 + gap) / Math.max(0.001, Math.abs(dy)),
    1,
  );
  return { x: middle.x + dx * scale, y: middle.y + dy * scale };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
