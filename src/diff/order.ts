import { destroyDuration, destroyTime, inheritedDestroyDuration } from '../model/attributes.ts';
import { type Change, changesOf, type GrantChange, type WorkspaceChange } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import { loweredAccess } from '../model/lowered-access.ts';
import { addressIn, type GrantResource, isPlaceholder, kindOfAddress } from '../model/state.ts';
import { groupBy, listTexts } from '../model/value.ts';

export interface Edge {
  readonly address: string;
  /** The fields of that change that the other one needs. Absent if it needs the id of something that is created. */
  readonly fields?: ReadonlySet<string> | undefined;
  /** The fields that need it. Absent for the whole change. */
  readonly needing?: readonly string[] | undefined;
}

const consumersPath = 'remote-state-consumers';
const lists: ReadonlySet<string> = new Set([consumersPath]);
const schedule: readonly string[] = [destroyDuration, destroyTime];
const levels: ReadonlySet<string> = new Set(['access']);
const leaving: ReadonlySet<string> = new Set(['project', ...schedule]);

/**
 * The changes that come before each change of a plan:
 *
 * - the creation of a workspace or project whose id it needs,
 * - before a deletion, every list of consumers that has the workspace, or every workspace that leaves the project,
 * - before the destroy schedule of a project, the workspaces that get a separate one instead of it,
 * - before a workspace that begins to inherit a schedule, that of its project: the former one would apply to it in between,
 * - before access that a guard keeps is lost, the access of the same project that is given instead.
 */
export function orderOf(
  changes: readonly Change[],
  roots: readonly Configuration[],
): (change: Change) => readonly Edge[] {
  const workspaces = changesOf(changes, 'workspace');
  const listed = workspaces.flatMap(({ address, fields, live }) => {
    const list = fields.find(({ path }) => path === consumersPath);
    const ids = list ? (list.remove ?? []).concat(listTexts(live?.attributes[consumersPath])) : [];
    return ids.map((id) => ({ address, id }));
  });
  const having = groupBy(listed, ({ id }) => id);
  const members = groupBy(workspaces, ({ live }) => live?.attributes.project);
  const givenInstead = accessGiven(changes, roots);
  const schedules = groupBy(changesOf(changes, 'project').filter(reschedules), ({ live }) => live?.id);
  return (change) => {
    const { kind, action, live: { id } = {} } = change;
    const inside = kind === 'project' && id !== undefined ? (members.get(id) ?? []) : [];
    const after = (
      ones: readonly { readonly address: string }[] = [],
      fields: ReadonlySet<string> = leaving,
    ) => ones.map(({ address }) => ({ address, fields }));
    const given = after(givenInstead(change), levels);
    if (action === 'delete') return [...after(having.get(id ?? ''), lists), ...after(inside), ...given];
    const scheduled = kind === 'workspace' ? schedules.get(newScheduleOf(change)) : [];
    const needing = change.fields.map(({ path }) => path).filter((path) => leaving.has(path));
    return [
      ...createdIds(change),
      ...after(reschedules(change) ? inside.filter(keepsSchedule) : []),
      ...after(scheduled).map((edge) => ({ ...edge, needing })),
      ...given,
    ];
  };
}

/** What `guards.keep-admin` and `guards.keep-self` count on: a call that gives access can fail. */
function accessGiven(
  changes: readonly Change[],
  roots: readonly Configuration[],
): (change: Change) => readonly GrantChange[] {
  const guards = roots.map((root) => root.guards);
  const admins = new Set(
    guards.flatMap(({ keepAdmin = [] }) => keepAdmin.flatMap(({ teams }) => [...teams.keys()])),
  );
  const keepsSelf = guards.some(({ keepSelf }) => keepSelf);
  const grants = changesOf(changes, 'team-access');
  const given = groupBy(
    grants.filter((one) => !loweredAccess(one)),
    ({ target }) => target?.attributes.project,
  );
  const isAdmin = (grant: GrantResource | undefined) =>
    grant?.attributes.access === 'admin' && admins.has(grant.attributes.team);
  return ({ kind, action, live, target, fields }) => {
    if (kind === 'workspace') {
      const isMoved = keepsSelf && action === 'update' && fields.some(({ path }) => path === 'project');
      return isMoved ? (given.get(target?.attributes.project) ?? []) : [];
    }
    if (kind !== 'team-access' || !isAdmin(live) || isAdmin(target)) return [];
    return (given.get(live?.attributes.project) ?? []).filter((one) => isAdmin(one.target));
  };
}

function createdIds({ kind, action, fields, target }: Change): Edge[] {
  const created = (id: string) => isPlaceholder(id) && kindOfAddress(addressIn(id)) !== undefined;
  const project = kind === 'project' ? undefined : target?.attributes.project;
  const consumers = fields.find(({ path }) => path === consumersPath)?.add ?? [];
  return [
    ...[project ?? '']
      .filter(created)
      .map((id) => ({ address: addressIn(id), needing: action === 'update' ? ['project'] : undefined })),
    ...consumers.filter(created).map((id) => ({ address: addressIn(id), needing: [consumersPath] })),
  ];
}

function reschedules({ action, fields }: Change): boolean {
  return action === 'update' && fields.some(({ path }) => path === destroyDuration);
}

function keepsSchedule({ live, target }: WorkspaceChange): boolean {
  if (live?.attributes[inheritedDestroyDuration] === undefined) return false;
  return schedule.some((path) => target?.attributes[path]);
}

/** The project whose destroy schedule a workspace begins to inherit. A new workspace has nothing to lose. */
function newScheduleOf({ live, target }: WorkspaceChange): string | undefined {
  if (!live || target?.attributes[inheritedDestroyDuration] === undefined) return undefined;
  const { project } = target.attributes;
  const isKept =
    live.attributes[inheritedDestroyDuration] !== undefined && live.attributes.project === project;
  return isKept ? undefined : project;
}
