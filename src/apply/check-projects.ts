import { grantFromDocument } from '../live/grant-document.ts';
import { includingBindings } from '../live/included.ts';
import { projectFromDocument } from '../live/project-document.ts';
import { NoLookUpError, readNames } from '../live/read-names.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan, PlannedChange } from '../model/plan.ts';
import { isUncreatedProject } from '../model/state.ts';
import { groupBy } from '../model/value.ts';
import type { ServiceReader } from '../service/client.ts';
import { relatedId } from '../service/documents.ts';
import { grantsOf, projectsOf, readList } from '../service/paging.ts';
import { changesSince, liveChanged, otherId } from './changed-since-plan.ts';

/** Reads the projects of the organization, and compares those that a saved plan would change with its facts. */
export async function checkProjectFacts(
  changes: readonly PlannedChange[],
  { organization }: Plan,
  reader: ServiceReader,
): Promise<Diagnostic[]> {
  if (changes.length === 0) return [];
  const bound = changes.some(({ facts = {} }) => 'tag-bindings' in facts);
  const asking = bound ? includingBindings(reader) : reader;
  const documents = await readList(asking, projectsOf(organization));
  const live = documents.map(projectFromDocument);
  return changes.flatMap((change) => {
    const { id, facts = {} } = change;
    if (id === undefined) {
      const name = String(facts.name).toLowerCase();
      const existing = live.some(({ attributes }) => String(attributes.name).toLowerCase() === name);
      return existing ? [liveChanged(change, 'it was created')] : [];
    }
    const now = live.find((project) => project.id === id);
    if (now === undefined) return [liveChanged(change, 'it was deleted, or this token may not see it')];
    return changesSince(facts, now.attributes).map((how) => liveChanged(change, how));
  });
}

/** Checks that the projects of a plan file belong to its organization. */
export async function checkProjectIds(
  changes: readonly PlannedChange[],
  { organization }: Plan,
  reader: ServiceReader,
): Promise<Diagnostic[]> {
  const ids = changes.flatMap(({ address, id }) => (id === undefined ? [] : [{ address, id }]));
  if (ids.length === 0) return [];
  const known = new Set((await readList(reader, projectsOf(organization))).map(({ id }) => id));
  return ids.flatMap(({ address, id }) =>
    known.has(id) ? [] : [otherId(address, `${id} is not a project of ${organization}`)],
  );
}

/** Reads the live grants that a saved plan would change, and compares them with the facts of the plan. */
export async function checkGrantFacts(
  changes: readonly PlannedChange[],
  plan: Plan,
  reader: ServiceReader,
): Promise<Diagnostic[]> {
  const byProject = groupBy(changes.filter(inExistingProject), ({ facts }) => String(facts?.project));
  const found = await Promise.all(
    [...byProject].map(([project, ofProject]) => checkProject(project, ofProject, plan, reader)),
  );
  return found.flat();
}

/** A project that the plan creates has no grants to compare. */
function inExistingProject({ facts }: PlannedChange): boolean {
  return !isUncreatedProject(String(facts?.project));
}

/** One list holds all grants of a project: the changed ones, and those that a create requires to be absent. */
async function checkProject(
  project: string,
  changes: readonly PlannedChange[],
  plan: Plan,
  reader: ServiceReader,
): Promise<Diagnostic[]> {
  const list = await readList(reader, grantsOf(project));
  const byTeam = new Map(list.map((document) => [relatedId(document, 'team'), document]));
  return changes.flatMap((change) => {
    const { facts = {} } = change;
    const document = byTeam.get(String(facts.team));
    if (facts.exists === false) return document ? [liveChanged(change, 'it was created')] : [];
    if (document === undefined || document.id !== change.id) return [liveChanged(change, 'it was deleted')];
    const now = grantFromDocument(document, project, plan.dialect).attributes;
    return changesSince(facts, now).map((how) => liveChanged(change, how));
  });
}

/** Checks that the projects of grants belong to the organization of a plan file. */
export async function checkGrantProjects(
  changes: readonly PlannedChange[],
  { organization }: Plan,
  reader: ServiceReader,
): Promise<Diagnostic[]> {
  const existing = changes.filter(inExistingProject);
  if (existing.length === 0) return [];
  try {
    const projects = new Set((await readNames(reader, organization, 'projects')).map(({ id }) => id));
    return existing.flatMap(({ address, facts }) => {
      const project = String(facts?.project);
      return projects.has(project)
        ? []
        : [otherId(address, `${project} is not a project of ${organization}`)];
    });
  } catch (error) {
    // Some services do not list projects.
    if (error instanceof NoLookUpError) return [];
    throw error;
  }
}
