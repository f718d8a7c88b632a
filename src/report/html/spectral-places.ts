import type { SharingGraph } from '../sharing-view.ts';

/** A point of the plane. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** How often the places are smoothed. More rounds no longer change the order of any row. */
const rounds = 200;

/** The numbers of the nodes that each node is linked with. */
export type Links = readonly (readonly number[])[];

/**
 * A first place for each workspace of a graph, in the order of its nodes: each is near to those that it shares with and
 * to its project. The axes are the two smoothest ways to spread the graph out, found by power iteration. It uses only
 * arithmetic and square roots, which give the same result on every machine.
 *
 * @param together how much a workspace is drawn to its project, compared with one that it shares with
 */
export function spectralPlaces(
  nodes: SharingGraph['nodes'],
  links: Links,
  together: number,
): readonly Point[] {
  const smooth = smoother(nodes, links, together);
  const level = orthonormal(Array<number>(nodes.length).fill(1), []);
  // Any start will do that is the same each time and not level.
  let x = orthonormal(
    level.map((_, index) => index),
    [level],
  );
  let y = orthonormal(
    level.map((_, index) => (index * 7919) % 101),
    [level, x],
  );
  for (let round = 0; round < rounds; round += 1) {
    x = orthonormal(smooth(x), [level]);
    y = orthonormal(smooth(y), [level, x]);
  }
  return x.map((one, index) => ({ x: one, y: y[index] ?? 0 }));
}

type Vector = readonly number[];

/** Moves every value half of the way to the mean of its neighbours and its project. */
function smoother(nodes: SharingGraph['nodes'], links: Links, together: number): (values: Vector) => Vector {
  return (values) => {
    const means = projectMeans(nodes, values);
    return nodes.map(({ project }, index) => {
      const own = links[index] ?? [];
      const near = own.reduce((sum, other) => sum + (values[other] ?? 0), 0);
      const drawn = (near + together * (means.get(project) ?? 0)) / (own.length + together);
      return ((values[index] ?? 0) + drawn) / 2;
    });
  };
}

function projectMeans(nodes: SharingGraph['nodes'], values: Vector): ReadonlyMap<string | null, number> {
  const sums = new Map<string | null, { sum: number; count: number }>();
  for (const [index, { project }] of nodes.entries()) {
    const { sum, count } = sums.get(project) ?? { sum: 0, count: 0 };
    sums.set(project, { sum: sum + (values[index] ?? 0), count: count + 1 });
  }
  return new Map([...sums].map(([project, { sum, count }]) => [project, sum / count]));
}

/** The part of a vector that is at right angles to others of length 1, brought to length 1. */
function orthonormal(values: Vector, others: readonly Vector[]): Vector {
  const rest = others.reduce<Vector>((left, other) => {
    const along = dot(left, other);
    return left.map((value, index) => value - along * (other[index] ?? 0));
  }, values);
  const length = Math.sqrt(dot(rest, rest)) || 1;
  return rest.map((value) => value / length);
}

function dot(a: Vector, b: Vector): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}
