import { idOf, type JournaledChange, type RunJournal } from '../apply/journal/parse-journal.ts';
import { readDetails, serviceDetails } from '../live/detail-reads.ts';
import { grantFromDocument } from '../live/grant-document.ts';
import { includingBindings } from '../live/included.ts';
import { withMeaningfulFlags } from '../live/inherited-execution.ts';
import {
  readWorkspace,
  readWorkspacesIn,
  type SingleWorkspace,
  type WorkspaceKey,
} from '../live/read-workspaces.ts';
import { itemsIfKept, type RecoverableItem } from '../live/recoverable-items.ts';
import { changesOf } from '../model/change.ts';
import type { Dialect } from '../model/dialect.ts';
import { namedEntries } from '../model/list-rule.ts';
import { type GrantResource, isUncreatedProject, type WorkspaceResource } from '../model/state.ts';
import { listTexts } from '../model/value.ts';
import type { SeparateRelation } from '../relations/relations.ts';
import type { ServiceReader } from '../service/client.ts';
import { grantsOf, readList } from '../service/paging.ts';
import { dialectOf } from '../service/wire-codec.ts';
import { readProjects, type TouchedProjects, withPresentProjects } from './touched-projects.ts';

/** The live state of the resources that a run touched. */
export interface Touched {
  /** The changes of the run that may have taken effect, with the present ids of projects that it deleted. */
  readonly changes: readonly JournaledChange[];
  /** Workspaces by id, including consumers that are restored. */
  readonly byId: ReadonlyMap<string, WorkspaceResource>;
  readonly byName: ReadonlyMap<string, WorkspaceResource>;
  readonly projects: TouchedProjects;
  /** All grants of the projects in which the run touched a grant, by `<project>/<team>`. */
  readonly grants: ReadonlyMap<string, GrantResource>;
  /** Workspaces that the run deleted and the service still keeps, by id; undefined if this token may not list them. */
  readonly recoverable: ReadonlyMap<string, RecoverableItem> | undefined;
  /** Names of workspaces by id. */
  readonly names: ReadonlyMap<string, string>;
  /** The dialect of the service, which can be another than the one that the run assumed. */
  readonly dialect: Dialect;
}

/**
 * Reads what a run touched: the resources that it changed or created, the names that it used or freed, and
 * whether the consumers that it removed from a list still exist.
 *
 * @param dialect the one to expect; if the documents show another one, that is used
 * @throws {ServiceError | NetworkError} if a read fails.
 */
export async function readTouched(
  run: RunJournal,
  service: ServiceReader,
  dialect: Dialect = run.dialect,
): Promise<Touched> {
  try {
    return await readIn(run, service, dialect);
  } catch (error) {
    if (!(error instanceof OtherDialect)) throw error;
    return await readIn(run, service, error.spoken);
  }
}

async function readIn(run: RunJournal, service: ServiceReader, dialect: Dialect): Promise<Touched> {
  const { organization } = run;
  const reader = dialect === 'terraform' ? includingBindings(service) : service;
  const effective = run.changes.filter(({ calls }) => calls.length > 0);
  const projects = await readProjects(run, effective, reader);
  const changes = withPresentProjects(effective, projects);
  const workspaces = changesOf(changes, 'workspace');
  const byId = new Map<string, WorkspaceResource>();
  const byName = new Map<string, WorkspaceResource>();
  const names = new Map<string, string>();
  const take = (single: SingleWorkspace) => {
    checkDialect(single.dialect, dialect);
    const live = withMeaningfulFlags(reader, single.workspace);
    const { id = '', name } = live;
    byId.set(id, live);
    byName.set(name, live);
    names.set(id, name);
  };
  const takeOne = async (key: WorkspaceKey) => {
    const single = await readWorkspace(reader, key, { dialect });
    if (single) take(single);
  };
  const asked = new Set<string>();
  const takeIds = async (ids: readonly string[]) => {
    const unasked = [...new Set(ids)].filter((id) => !asked.has(id));
    for (const id of unasked) asked.add(id);
    await Promise.all(unasked.map((id) => takeOne({ id })));
  };

  const [grants] = await Promise.all([
    readGrants(dialect, changes, reader, projects),
    takeIds(workspaces.flatMap((change) => idOf(change) ?? [])),
    ...projects.created.map(async (project) => {
      for (const single of await readWorkspacesIn(reader, { organization, project }, { dialect }))
        take(single);
    }),
  ]);
  const wanted = new Set(workspaces.flatMap(namesOf).filter((name) => !byName.has(name)));
  await Promise.all([...wanted].map((name) => takeOne({ organization, name })));

  await Promise.all(
    workspaces.map(async (change) => {
      const live = liveOf(change, { byId, byName });
      if (live === undefined) return;
      const detailed = await withDetails(change, live, { reader, names });
      byId.set(detailed.id ?? '', detailed);
      byName.set(detailed.name, detailed);
    }),
  );
  const deleted = new Set(workspaces.flatMap(({ action, id }) => (action === 'delete' && id ? [id] : [])));
  const consumers = workspaces.flatMap((change) => [
    ...[change.before, change.kept ?? {}].flatMap((values) => listTexts(values[consumersPath])),
    // A created workspace loses its consumers without its own change if they are deleted.
    ...(change.action === 'create'
      ? change.calls.flatMap(({ written }) => (written.consumers ? namedEntries(written.consumers) : []))
      : []),
  ]);
  await takeIds(consumers.filter((id) => !names.has(id) && !deleted.has(id)));
  const kept = workspaces.flatMap((change) =>
    change.action === 'delete' && liveOf(change, { byId, byName }) === undefined ? (change.id ?? []) : [],
  );
  const recoverable = dialect === 'terraform' ? await itemsIfKept(reader, organization, kept) : new Map();
  return { changes, byId, byName, projects, grants, recoverable, names, dialect };
}

/** The live workspace of a change. A deleted one, or one whose creation had no response, is found by its name. */
export function liveOf(
  change: JournaledChange,
  { byId, byName }: Pick<Touched, 'byId' | 'byName'>,
): WorkspaceResource | undefined {
  const id = idOf(change);
  const found = id === undefined ? undefined : byId.get(id);
  if (found || change.action === 'update' || (change.action === 'create' && id)) return found;
  return byName.get(String(change.before.name ?? change.name));
}

/** Names that must be free for the undo, or that show whether a creation succeeded. */
function namesOf({ action, name, before, calls, id }: JournaledChange): string[] {
  const former = String(before.name ?? name);
  if (action === 'create') return calls.some(({ outcome }) => outcome?.id) ? [] : [former];
  if (action === 'delete') return [former];
  return id !== undefined && former !== name ? [former] : [];
}

const consumersPath = 'remote-state-consumers';

interface DetailContext {
  readonly reader: ServiceReader;
  readonly names: Map<string, string>;
}

/** Reads the settings that the document of a workspace lacks, if the run wrote them or they are restored. */
async function withDetails(
  { calls, kept = {} }: JournaledChange,
  live: WorkspaceResource,
  { reader, names }: DetailContext,
): Promise<WorkspaceResource> {
  const written = new Set(
    calls.flatMap(({ written: { values, consumers } }) => [
      ...Object.keys(values),
      ...(consumers ? [consumersPath] : []),
    ]),
  );
  const isTouched = (path: SeparateRelation) => written.has(path) || [kept[path] ?? []].flat().length > 0;
  const [detailed = live] = await readDetails(serviceDetails(reader), isTouched, [live], names);
  return detailed;
}

async function readGrants(
  dialect: Dialect,
  changes: readonly JournaledChange[],
  reader: ServiceReader,
  { isGone }: TouchedProjects,
): Promise<Map<string, GrantResource>> {
  const touched = changesOf(changes, 'team-access');
  const projects = [...new Set(touched.map(({ before }) => String(before.project)))].filter(
    (project) => !isUncreatedProject(project) && !isGone(project),
  );
  const grants = await Promise.all(
    projects.map(async (project) =>
      (await readList(reader, grantsOf(project))).map((document) => {
        checkDialect(dialectOf(document), dialect);
        return grantFromDocument(document, project, dialect);
      }),
    ),
  );
  return new Map(grants.flat().map((grant) => [grant.name, grant]));
}

class OtherDialect extends Error {
  readonly spoken: Dialect;

  constructor(spoken: Dialect) {
    super(`the service uses the dialect ${spoken}`);
    this.spoken = spoken;
  }
}

function checkDialect(spoken: Dialect | undefined, dialect: Dialect): void {
  if (spoken !== undefined && spoken !== dialect) throw new OtherDialect(spoken);
}
