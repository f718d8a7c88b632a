import {
  idOf,
  type JournaledCall,
  type JournaledChange,
  type RunJournal,
} from '../apply/journal/parse-journal.ts';
import { itemsIfKept, type RecoverableItem } from '../live/access-facts.ts';
import { readDetails, serviceDetails } from '../live/detail-reads.ts';
import { grantFromDocument, projectFromDocument, withMeaningfulFlags } from '../live/from-document.ts';
import { includingBindings } from '../live/included.ts';
import { remember } from '../live/read-live.ts';
import { readWorkspace, readWorkspacesIn, type WorkspaceKey } from '../live/read-workspaces.ts';
import { changesOf } from '../model/change.ts';
import type { Dialect } from '../model/dialect.ts';
import { namedEntries } from '../model/list-rule.ts';
import {
  findAmong,
  type GrantResource,
  identity,
  isUncreatedProject,
  type ProjectResource,
  type Resource,
  uncreatedProject,
  type WorkspaceResource,
  workspaceAddress,
} from '../model/state.ts';
import { listTexts } from '../model/value.ts';
import type { SeparateRelation } from '../relations/relations.ts';
import type { ServiceReader } from '../service/client.ts';
import { grantsOf, projectsOf, readList } from '../service/paging.ts';
import { dialectOf } from '../service/wire-codec.ts';

export interface Touched {
  /** The changes of the run that may have taken effect, with the present ids of projects that it deleted. */
  readonly changes: readonly { readonly change: JournaledChange; readonly live: Resource | undefined }[];
  /** By id, consumers that are restored included. */
  readonly workspaces: ReadonlyMap<string, WorkspaceResource>;
  /** All grants of the projects in which the run touched a grant. */
  readonly grants: readonly GrantResource[];
  /** All projects of the organization; undefined if nothing needed the list, so that nothing is known of them. */
  readonly projects: readonly ProjectResource[] | undefined;
  /** Workspaces that the run deleted and the service still keeps, by id; undefined if this token may not list them. */
  readonly recoverable: ReadonlyMap<string, RecoverableItem> | undefined;
  readonly names: ReadonlyMap<string, string>;
  /** The dialect of the service, which can be another than the one that the run assumed. */
  readonly dialect: Dialect;
}

export async function readTouched(
  run: RunJournal,
  service: ServiceReader,
  dialect: Dialect = run.dialect,
): Promise<Touched> {
  const reader = remember(service, () => true);
  const assumed = await readIn(run, reader, dialect);
  return assumed.dialect === dialect ? assumed : readIn(run, reader, assumed.dialect);
}

async function readIn(run: RunJournal, service: ServiceReader, dialect: Dialect): Promise<Touched> {
  const { organization } = run;
  const reader = dialect === 'terraform' ? includingBindings(service) : service;
  const effective = run.changes.filter(({ calls }) => calls.length > 0);
  const projects = await readProjects(organization, effective, reader, dialect);
  const projectOf = findLive(projects ?? []);
  const changes = withPresentProjects(effective, projectOf);
  const touched = changesOf(changes, 'workspace');
  const workspaces = new Map<string, WorkspaceResource>();
  const names = new Map<string, string>();
  let spoken = dialect;
  const notice = (shown: Dialect = dialect) => {
    if (shown !== dialect) spoken = shown;
  };
  const take = (single: Awaited<ReturnType<typeof readWorkspace>>) => {
    if (single === undefined) return;
    notice(single.dialect);
    const live = withMeaningfulFlags(reader, single.workspace);
    workspaces.set(live.id ?? '', live);
    names.set(live.id ?? '', live.name);
  };
  const read = async (key: WorkspaceKey) => take(await readWorkspace(reader, key, { dialect }));
  const readIds = (ids: readonly string[]) => Promise.all(ids.map((id) => read({ id })));

  const created = changesOf(changes, 'project').flatMap((change) =>
    change.action === 'create' ? (projectOf(change)?.id ?? []) : [],
  );
  const [grants] = await Promise.all([
    readGrants(changes, reader, { dialect, projects }, notice),
    readIds(touched.flatMap((change) => idOf(change) ?? [])),
    // An undo deletes a created project only if it has no workspace.
    ...created.map(async (project) => {
      const members = await readWorkspacesIn(reader, { organization, project }, { dialect });
      for (const single of members) take(single);
    }),
  ]);
  const known = new Set(names.values());
  const wanted = new Set(touched.flatMap(neededNames).filter((name) => !known.has(name)));
  await Promise.all([...wanted].map((name) => read({ organization, name })));

  const found = findLive(workspaces.values());
  await Promise.all(
    touched.map(async (change) => {
      const live = found(change);
      if (live !== undefined) workspaces.set(live.id ?? '', await withDetails(change, live, reader, names));
    }),
  );
  await readIds(touched.flatMap(formerConsumers).filter((id) => !names.has(id)));
  const liveOf = findLive<Resource>([[...workspaces.values()], grants, projects ?? []].flat());
  const gone = touched.flatMap((change) =>
    change.action === 'delete' && liveOf(change) === undefined ? (change.id ?? []) : [],
  );
  const recoverable = dialect === 'terraform' ? await itemsIfKept(reader, organization, gone) : new Map();
  const pairs = changes.map((change) => ({ change, live: liveOf(change) }));
  return { changes: pairs, workspaces, grants, projects, recoverable, names, dialect: spoken };
}

/**
 * Finds the live resource of a change: by its id, and by its name if the run deleted it, or if the answer to its creation was lost.
 */
export function findLive<Found extends Resource>(
  live: Iterable<Found>,
): (change: JournaledChange) => Found | undefined {
  const find = findAmong(live);
  return (change) => {
    const texts = identity(formerResource(change));
    return find(change.action === 'delete' || idOf(change) === undefined ? texts : texts.slice(0, 1));
  };
}

function formerResource(change: JournaledChange): Resource {
  const { kind, name, before } = change;
  const address = kind === 'workspace' ? workspaceAddress(String(before.name ?? name)) : change.address;
  return { kind, address, name, attributes: before, id: idOf(change) } as Resource;
}

async function readProjects(
  organization: string,
  changes: readonly JournaledChange[],
  reader: ServiceReader,
  dialect: Dialect,
): Promise<readonly ProjectResource[] | undefined> {
  // In the other dialect no run deletes the project of a deleted workspace.
  const isPlaced = ({ action, before }: JournaledChange) =>
    (action === 'update' && typeof before.project === 'string') ||
    (action === 'delete' && dialect === 'terraform');
  const isNeeded =
    changesOf(changes, 'project').length > 0 ||
    (changesOf(changes, 'workspace').some(isPlaced) && !reader.capabilities.lacks('projects'));
  return isNeeded ? (await readList(reader, projectsOf(organization))).map(projectFromDocument) : undefined;
}

/** Whether a project does not exist any more: it has no grants, and workspaces cannot be moved to it. */
export function isGoneProject({ projects }: Pick<Touched, 'projects'>, id: string): boolean {
  return projects !== undefined && !isUncreatedProject(id) && !projects.some((project) => project.id === id);
}

/**
 * The changes with another id for each project that the run deleted: the one with which it was created again, or the
 * placeholder for the one that the undo creates.
 */
export function withPresentProjects(
  changes: readonly JournaledChange[],
  projectOf: (change: JournaledChange) => ProjectResource | undefined,
): readonly JournaledChange[] {
  const ids = new Map(
    changesOf(changes, 'project').flatMap((change) =>
      change.action === 'delete' && change.id !== undefined
        ? [[change.id, projectOf(change)?.id ?? uncreatedProject(change.name)] as const]
        : [],
    ),
  );
  if (ids.size === 0) return changes;
  // The change of the project itself keeps the id that it deleted.
  return changes.map((change) =>
    change.kind === 'project' ? change : withOtherIds(change, (id) => ids.get(id) ?? id),
  );
}

/** Names that must be free for the undo, or that show whether a creation succeeded. */
function neededNames({ action, name, before, calls, id }: JournaledChange): string[] {
  const former = String(before.name ?? name);
  if (action === 'create') return calls.some(({ outcome }) => outcome?.id) ? [] : [former];
  if (action === 'delete') return [former];
  return id !== undefined && former !== name ? [former] : [];
}

const consumersPath = 'remote-state-consumers';

/** The consumers of a workspace before the run, and those that its creation set: it loses them if they are deleted. */
function formerConsumers({ action, before, kept = {}, calls }: JournaledChange): readonly string[] {
  const set = calls.flatMap(({ written: { consumers } }) => (consumers ? namedEntries(consumers) : []));
  return [before, kept]
    .flatMap((values) => listTexts(values[consumersPath]))
    .concat(action === 'create' ? set : []);
}

async function withDetails(
  { calls, kept = {} }: JournaledChange,
  live: WorkspaceResource,
  reader: ServiceReader,
  names: Map<string, string>,
): Promise<WorkspaceResource> {
  const isWritten = (path: SeparateRelation) =>
    calls.some(({ written: { values, consumers } }) =>
      path === consumersPath ? consumers !== undefined : path in values,
    );
  const isTouched = (path: SeparateRelation) => isWritten(path) || [kept[path] ?? []].flat().length > 0;
  const [detailed = live] = await readDetails(serviceDetails(reader), isTouched, [live], names);
  return detailed;
}

async function readGrants(
  changes: readonly JournaledChange[],
  reader: ServiceReader,
  { dialect, projects }: Pick<Touched, 'dialect' | 'projects'>,
  notice: (shown: Dialect | undefined) => void,
): Promise<readonly GrantResource[]> {
  const touched = changesOf(changes, 'team-access').map(({ before }) => String(before.project));
  const readable = [...new Set(touched)].filter(
    (project) => !isUncreatedProject(project) && !isGoneProject({ projects }, project),
  );
  const grants = readable.map(async (project) =>
    (await readList(reader, grantsOf(project))).map((document) => {
      notice(dialectOf(document));
      return grantFromDocument(document, project, dialect);
    }),
  );
  return (await Promise.all(grants)).flat();
}

/*
 * Undos create objects again, with other ids. Only the journal of an undo proves that: another object can have the name of a
 * deleted one.
 */

export interface RevertedRuns {
  readonly undo: RunJournal;
  readonly reverted: readonly RunJournal[];
}

interface Recreated {
  readonly id: string;
  /** What the undos sent for it, the oldest call first. */
  readonly calls: readonly JournaledCall[];
}

/**
 * What undos created again, by the former ids.
 *
 * @param undos the oldest first: a newer one completes what an older one created, or creates it once more
 */
function recreationsOf(undos: readonly RevertedRuns[]): ReadonlyMap<string, Recreated> {
  const recreated = new Map<string, Recreated>();
  for (const { undo, reverted } of undos) {
    const deleted = reverted.flatMap(({ changes }) => changes.filter(({ action }) => action === 'delete'));
    const formerIds = new Map(deleted.map((change) => [objectOf(change), change.id]));
    for (const change of undo.changes) {
      const [former, id] = [formerIds.get(objectOf(change)), idOf(change)];
      if (former === undefined || id === undefined || change.action === 'delete') continue;
      const known = recreated.get(former);
      if (change.action === 'create') recreated.set(former, { id, calls: change.calls });
      else if (known?.id === id) recreated.set(former, { id, calls: [...known.calls, ...change.calls] });
    }
  }
  return recreated;
}

/** Two objects of a kind never have one name at the same time. */
function objectOf({ kind, name, before, kept = before }: JournaledChange): string {
  return JSON.stringify([kind, kept.name ?? name]);
}

/**
 * The run as if it had met the objects that undos created again. What the run itself deleted keeps its id: its own undo creates it
 * again, or completes that.
 */
export function withRecreated(run: RunJournal, undos: readonly RevertedRuns[]) {
  const recreated = recreationsOf(undos);
  if (recreated.size === 0) return { run, recreated };
  const deleted = new Set(run.changes.flatMap(({ action, id }) => (action === 'delete' && id ? [id] : [])));
  const present = (id: string): string => {
    const next = deleted.has(id) ? undefined : recreated.get(id)?.id;
    return next === undefined || next === id ? id : present(next);
  };
  return { run: withOtherIds(run, present), recreated };
}

/** Data with other ids: no other text is equal to an id of the service. */
function withOtherIds<Data>(data: Data, present: (id: string) => string): Data {
  return JSON.parse(JSON.stringify(data), (_key, value) =>
    typeof value === 'string' ? present(value) : value,
  );
}
