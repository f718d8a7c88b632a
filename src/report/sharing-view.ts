import type { Action } from '../model/change.ts';
import { type Overview, projectOfMembers, type WorkspaceOverview } from '../model/plan.ts';

/** Whether something is on both sides, or comes or goes with the changes. */
export type Presence = 'kept' | 'added' | 'removed';

export interface SharingNode {
  readonly name: string;
  /** `null` where the workspace was not read. */
  readonly project: string | null;
  readonly action: Action | null;
  /** Whether every workspace of the organization may read its state. */
  readonly global: Presence | null;
  /** Whether every workspace of its project may read its state. */
  readonly inProject: Presence | null;
  /** Its list of readers was not read. */
  readonly unread: boolean;
  /** It is only known as a reader of others. */
  readonly foreign: boolean;
}

/** `reader` may read the state of `owner`. */
export interface SharingEdge {
  readonly owner: string;
  readonly reader: string;
  readonly presence: Presence;
}

export interface SharingGraph {
  readonly nodes: readonly SharingNode[];
  readonly edges: readonly SharingEdge[];
}

/** Who may read whose state, with what the picture leaves out. */
export interface SharingView extends SharingGraph {
  /** How many workspaces were read or are created. */
  readonly workspaces: number;
  /** How many of them are not in the graph, although their list of readers was read. */
  readonly idle: number;
  /** Of how many of them the list of readers was not read. */
  readonly unread: number;
}

export function sharingView(overview: Overview): SharingView {
  const { workspaces } = overview;
  const { nodes, edges } = sharingGraph(overview);
  const drawn = new Set(nodes.map(({ name }) => name));
  return {
    nodes,
    edges,
    workspaces: workspaces.length,
    idle: workspaces.filter((workspace) => !drawn.has(workspace.name) && !isUnread(workspace)).length,
    unread: workspaces.filter(isUnread).length,
  };
}

/** How many workspaces that change and share nothing are shown beside the others. */
const mostIdle = 60;

/**
 * Who may read whose state, as nodes and edges: every workspace that reads, is read, or is shared with all; and those
 * that change, as long as they do not drown the others.
 *
 * A list exists next to the setting that shares with all. If that setting changes, the workspaces on the list can read
 * before and after: their edges stay, and only the setting changes.
 */
export function sharingGraph({ workspaces }: Overview): SharingGraph {
  const edges = workspaces.flatMap(edgesOf);
  const involved = new Set(edges.flatMap(({ owner, reader }) => [owner, reader]));
  const known = workspaces.map(nodeOf);
  const isPart = ({ name, global, inProject }: SharingNode) =>
    involved.has(name) || global !== null || inProject !== null;
  const idle = known.filter((node) => !isPart(node) && node.action !== null);
  const beside = new Set(known.some(isPart) && idle.length <= mostIdle ? idle : []);
  const names = new Set(workspaces.map(({ name }) => name));
  const foreign = [...involved]
    .filter((name) => !names.has(name))
    .sort()
    .map((name): SharingNode => ({ ...stranger, name }));
  return {
    nodes: [...known.filter((node) => isPart(node) || beside.has(node)), ...foreign],
    edges,
  };
}

const stranger = {
  project: null,
  action: null,
  global: null,
  inProject: null,
  unread: true,
  foreign: true,
} as const;

function nodeOf(workspace: WorkspaceOverview): SharingNode {
  const { name, project, action, readers } = workspace;
  const global = presenceOf(readers, (side) => side === '*');
  const inProject = presenceOf(readers, isProject);
  return { name, project, action, global, inProject, unread: isUnread(workspace), foreign: false };
}

/** Its list of readers was not read. A new workspace that declares no readers has none. */
function isUnread({ action, readers: { before, after } }: WorkspaceOverview): boolean {
  return action !== 'create' && (before === null || after === null);
}

function presenceOf(
  { before, after }: WorkspaceOverview['readers'],
  is: (readers: Readers) => boolean,
): Presence | null {
  if (is(before)) return is(after) ? 'kept' : 'removed';
  return is(after) ? 'added' : null;
}

type Readers = WorkspaceOverview['readers']['before'];

function edgesOf({ name: owner, readers: { before, after } }: WorkspaceOverview): readonly SharingEdge[] {
  const had = new Set(isList(before) ? before : []);
  const has = new Set(isList(after) ? after : []);
  const readers = [...new Set([...had, ...has])].filter((reader) => reader !== owner).sort();
  return readers.map((reader): SharingEdge => {
    if (!had.has(reader) && isList(before)) return { owner, reader, presence: 'added' };
    if (!has.has(reader) && isList(after)) return { owner, reader, presence: 'removed' };
    return { owner, reader, presence: 'kept' };
  });
}

function isList(readers: Readers): readers is readonly string[] {
  return readers !== null && readers !== '*' && !isProject(readers);
}

/** Whether the readers are the workspaces of the project, which the picture does not draw one by one. */
function isProject(readers: Readers): boolean {
  return Array.isArray(readers) && readers.some((reader) => projectOfMembers(reader) !== undefined);
}

/** A larger diagram is illegible; the table has all workspaces. */
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

function isChanged({ global, inProject, action }: SharingNode): boolean {
  return [global, inProject].some((one) => one === 'added' || one === 'removed') || action !== null;
}
