import type { Placed } from './rows.ts';

/** What a line or a mark should not lie on. */
export interface Obstacles {
  /** Whether a point comes nearer than so much to anything but these. */
  hit(point: { readonly x: number; readonly y: number }, distance: number, but: readonly Placed[]): boolean;
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
