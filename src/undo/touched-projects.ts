import { idOf, type JournaledChange, type RunJournal } from '../apply/journal/parse-journal.ts';
import { projectFromDocument } from '../live/project-document.ts';
import { changesOf } from '../model/change.ts';
import { isUncreatedProject, type ProjectResource, uncreatedProject } from '../model/state.ts';
import type { Value, Values } from '../model/value.ts';
import type { ServiceReader } from '../service/client.ts';
import { projectsOf, readList } from '../service/paging.ts';

/** The live projects that a run touched. */
export interface TouchedProjects {
  /** By the address of their change. A deleted one is found by its name if it was created again. */
  readonly byAddress: ReadonlyMap<string, ProjectResource>;
  /** The names of all projects by id; empty if they were not listed. */
  readonly names: ReadonlyMap<string, string>;
  /** The ids of all projects by name in lower case, because the service does not distinguish the case. */
  readonly idsByName: ReadonlyMap<string, string>;
  /** Whether a project does not exist any more: it has no grants, and workspaces cannot be moved to it. */
  readonly isGone: (id: string) => boolean;
  /** The ids of those that the run created. An undo deletes them only if they hold no workspace. */
  readonly created: readonly string[];
}

/** Reads the projects of the organization in one list, if the run changed any, or moved a workspace from one. */
export async function readProjects(
  run: RunJournal,
  changes: readonly JournaledChange[],
  reader: ServiceReader,
): Promise<TouchedProjects> {
  const touched = changesOf(changes, 'project');
  const moves = changesOf(changes, 'workspace').some(
    ({ action, before }) => action === 'update' && typeof before.project === 'string',
  );
  const isListed = touched.length > 0 || (moves && !reader.capabilities.lacks('projects'));
  const documents = isListed ? await readList(reader, projectsOf(run.organization)) : [];
  const all = documents.map(projectFromDocument);
  const byId = new Map(all.map((project) => [project.id, project]));
  const byName = new Map(all.map((project) => [lowerCase(project.attributes.name), project]));
  const found = touched.flatMap((change) => {
    const id = idOf(change);
    // The id of a project is unknown if the answer to its creation was lost.
    const isNamed = change.action === 'delete' || id === undefined;
    const project = byId.get(id) ?? (isNamed ? byName.get(lowerCase(nameIn(change))) : undefined);
    return project ? [{ change, project }] : [];
  });
  return {
    byAddress: new Map(found.map(({ change, project }) => [change.address, project])),
    // Without the list nothing is known of other projects.
    isGone: (id) => isListed && !isUncreatedProject(id) && !byId.has(id),
    names: new Map(all.map(({ attributes, id = '' }) => [id, String(attributes.name)])),
    idsByName: new Map(all.map(({ attributes, id = '' }) => [lowerCase(attributes.name), id])),
    created: found.flatMap(({ change, project }) =>
      change.action === 'create' && project.id ? [project.id] : [],
    ),
  };
}

/** The name of a project before its deletion, or the one that its creation sent. */
function nameIn({ action, before, calls }: JournaledChange): Value | undefined {
  if (action !== 'create') return before.name;
  const sent = calls.map(({ written }) => written.values);
  return sent.find(({ name }) => name !== undefined)?.name;
}

export function lowerCase(name: Value | undefined): string {
  return String(name ?? '').toLowerCase();
}

/**
 * The changes with another id for each project that the run deleted: the one with which it was created again, or the
 * placeholder for the one that the undo creates.
 */
export function withPresentProjects(
  changes: readonly JournaledChange[],
  { byAddress }: TouchedProjects,
): readonly JournaledChange[] {
  const ids = new Map(
    changesOf(changes, 'project').flatMap(({ action, id, address, name }) =>
      action === 'delete' && id !== undefined
        ? [[id, byAddress.get(address)?.id ?? uncreatedProject(name)] as const]
        : [],
    ),
  );
  if (ids.size === 0) return changes;
  const present = (values: Values): Values => {
    const { project } = values;
    return typeof project === 'string' ? { ...values, project: ids.get(project) ?? project } : values;
  };
  return changes.map((change) => ({
    ...change,
    before: present(change.before),
    ...(change.kept && { kept: present(change.kept) }),
  }));
}
