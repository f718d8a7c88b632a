import type { SharingEdge, SharingGraph, SharingNode } from './sharing-graph.ts';

/** More than this nobody can follow in a picture; the table beside it has them all. */
const mostNodes = 600;
const mostEdges = 3000;

/** What is drawn of a graph: what changes first, then what reads it or is read by it, then the rest. */
export function drawnPart({ nodes, edges }: SharingGraph): SharingGraph {
  const ranks = new Map(nodes.map((node) => [node.name, isChanged(node) ? 0 : 3]));
  const raise = (name: string, rank: number) => ranks.set(name, Math.min(rank, ranks.get(name) ?? 3));
  const touching = edges.filter(({ owner, reader }) => ranks.get(owner) === 0 || ranks.get(reader) === 0);
  for (const { owner, reader, presence } of [...touching, ...edges.filter(isChange)]) {
    raise(owner, presence === 'kept' ? 2 : 1);
    raise(reader, presence === 'kept' ? 2 : 1);
  }
  const rank = ({ name }: SharingNode) => ranks.get(name) ?? 3;
  const kept = new Set([...nodes].sort((a, b) => rank(a) - rank(b)).slice(0, mostNodes));
  const names = new Set([...kept].map(({ name }) => name));
  const drawn = edges.filter(({ owner, reader }) => names.has(owner) && names.has(reader));
  const changedFirst = [...drawn.filter(isChange), ...drawn.filter((edge) => !isChange(edge))];
  return { nodes: nodes.filter((node) => kept.has(node)), edges: changedFirst.slice(0, mostEdges) };
}

function isChange({ presence }: SharingEdge): boolean {
  return presence !== 'kept';
}

function isChanged({ global, action }: SharingNode): boolean {
  return global === 'added' || global === 'removed' || action !== null;
}
