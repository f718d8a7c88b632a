import type { Placed } from './sharing-layout.ts';
import type { Point } from './spectral-places.ts';

export interface Curve {
  /** The path from the owner's label to the reader's. */
  readonly path: string;
  /** Where a mark on it hides nothing. */
  readonly mark: Point;
  /** The point of it that is farthest from the straight line. */
  readonly bulge: Point;
}

interface Bent {
  readonly start: Point;
  readonly control: Point;
  readonly end: Point;
}

/** How far a line is bowed, in units of its usual bow: the first that passes behind no other label is taken. */
const bows = [1, -1, 0.3, 2, -2, 3, -3] as const;
const samples = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] as const;
const markPlaces = [
  0.5, 0.45, 0.55, 0.4, 0.6, 0.35, 0.65, 0.3, 0.7, 0.25, 0.75, 0.2, 0.8, 0.15, 0.85,
] as const;
const markRadius = 6.5;

/**
 * A bowed line, so that two workspaces that read each other have two, and one that passes behind as few labels of
 * others as can be: a line that goes in on one side of a label and comes out on the other reads as two.
 */
export function curveBetween(owner: Placed, reader: Placed, obstacles: Obstacles): Curve {
  const ends = [owner, reader];
  let best: { bent: Bent; hits: number } | undefined;
  for (const bow of bows) {
    const bent = bentLine(owner, reader, bow);
    const hits = samples.filter((at) => obstacles.hit(pointOn(bent, at), 3, ends)).length;
    if (best === undefined || hits < best.hits) best = { bent, hits };
    if (hits === 0) break;
  }
  const bent = best?.bent ?? bentLine(owner, reader, 1);
  const place = markPlaces.find((at) => !obstacles.hit(pointOn(bent, at), markRadius, [])) ?? 0.5;
  const [start, control, end] = [rounded(bent.start), rounded(bent.control), rounded(bent.end)];
  return {
    path: `M${start.x} ${start.y}Q${control.x} ${control.y} ${end.x} ${end.y}`,
    mark: rounded(pointOn(bent, place)),
    bulge: rounded(pointOn(bent, 0.5)),
  };
}

function bentLine(owner: Placed, reader: Placed, bow: number): Bent {
  const [from, to] = [middleOf(owner), middleOf(reader)];
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const distance = Math.max(1, Math.sqrt(dx * dx + dy * dy));
  const isLevel = Math.abs(dy) < 4;
  const reach = bow * Math.min(60, isLevel ? 30 + distance * 0.06 : 12 + distance * 0.08);
  const control = {
    x: (from.x + to.x) / 2 - (dy / distance) * reach,
    y: (from.y + to.y) / 2 + (dx / distance) * reach,
  };
  return { start: edgeOf(owner, control, 0), control, end: edgeOf(reader, control, 3) };
}

function pointOn({ start, control, end }: Bent, at: number): Point {
  const [a, b, c] = [(1 - at) * (1 - at), 2 * at * (1 - at), at * at];
  return { x: a * start.x + b * control.x + c * end.x, y: a * start.y + b * control.y + c * end.y };
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

function rounded({ x, y }: Point): Point {
  return { x: Math.round(x * 10) / 10, y: Math.round(y * 10) / 10 };
}

/** What a line or a mark should not lie on. */
export interface Obstacles {
  /** Whether a point comes nearer than so much to anything but these. */
  hit(point: Point, distance: number, but: readonly Placed[]): boolean;
}

const cell = 64;

/** Looks them up by the square of the plane that they lie in, so that a thousand lines among as many labels are quick. */
export function obstaclesOf(things: readonly Placed[]): Obstacles {
  const squares = new Map<string, Placed[]>();
  for (const thing of things) {
    for (let column = square(thing.x) - 1; column <= square(thing.x + thing.width) + 1; column++) {
      for (let row = square(thing.y) - 1; row <= square(thing.y + thing.height) + 1; row++) {
        const key = `${column} ${row}`;
        const inside = squares.get(key);
        if (inside) inside.push(thing);
        else squares.set(key, [thing]);
      }
    }
  }
  return {
    hit: ({ x, y }, distance, but) =>
      (squares.get(`${square(x)} ${square(y)}`) ?? []).some(
        (thing) =>
          x > thing.x - distance &&
          x < thing.x + thing.width + distance &&
          y > thing.y - distance &&
          y < thing.y + thing.height + distance &&
          !but.includes(thing),
      ),
  };
}

function square(value: number): number {
  return Math.floor(value / cell);
}
