import type { SharingEdge, SharingGraph, SharingNode } from './sharing-graph.ts';

/** More than this nobody can follow in a picture; the table beside it has them all. */
const mostNodes = 600;
const mostEdges = 3000;

/** What is drawn of a graph: what changes first, then what is connected with it, then the rest. */
export function drawnPart({ nodes, edges }: SharingGraph): SharingGraph {
  const ranks = new Map(nodes.map((node) => [node.name, isChanged(node) ? 0 : 2]));
  for (const { owner, reader, presence } of edges) {
    if (presence === 'kept') continue;
    ranks.set(owner, 0);
    ranks.set(reader, 0);
  }
  for (const { owner, reader } of edges) {
    if (ranks.get(owner) === 0 && ranks.get(reader) === 2) ranks.set(reader, 1);
    if (ranks.get(reader) === 0 && ranks.get(owner) === 2) ranks.set(owner, 1);
  }
  const rank = ({ name }: SharingNode) => ranks.get(name) ?? 2;
  const kept = new Set([...nodes].sort((a, b) => rank(a) - rank(b)).slice(0, mostNodes));
  const names = new Set([...kept].map(({ name }) => name));
  const drawn = edges.filter(({ owner, reader }) => names.has(owner) && names.has(reader));
  return { nodes: nodes.filter((node) => kept.has(node)), edges: changedFirst(drawn).slice(0, mostEdges) };
}

function isChanged({ global, action }: SharingNode): boolean {
  return global === 'added' || global === 'removed' || action !== null;
}

/** Also the order in which edges are drawn backwards: what changes lies on top. */
function changedFirst(edges: readonly SharingEdge[]): readonly SharingEdge[] {
  return [
    ...edges.filter(({ presence }) => presence !== 'kept'),
    ...edges.filter(({ presence }) => presence === 'kept'),
  ];
}
