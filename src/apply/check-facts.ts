import { grantFromDocument } from '../live/grant-document.ts';
import { includingBindings } from '../live/included.ts';
import { projectFromDocument } from '../live/project-document.ts';
import { identifyWorkspace } from '../live/read-workspaces.ts';
import { sharedWith, sharingSwitchOf } from '../model/attributes.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { type Plan, type PlannedChange, sentChanges } from '../model/plan.ts';
import { isUncreatedProject, type ResourceKind, resourceKinds } from '../model/state.ts';
import { groupBy, sameValue } from '../model/value.ts';
import type { Facts } from '../plan/facts.ts';
import { readConsumerList } from '../relations/relations.ts';
import type { ServiceReader } from '../service/client.ts';
import { relatedId } from '../service/documents.ts';
import { grantsOf, projectsOf, readList } from '../service/paging.ts';
import { changesSince, factsOf, liveChanged, shownFact } from './changed-since-plan.ts';
import { presentFacts } from './present-values.ts';

/**
 * Reads only the objects that a saved plan would write, and reports what changed since it was saved. One changed object
 * refuses the whole plan, because the remaining changes were not reviewed without it.
 */
export async function checkFacts(plan: Plan, reader: ServiceReader): Promise<Diagnostic[]> {
  const sent = sentChanges(plan.changes);
  const found = resourceKinds.map((kind) =>
    checkOfKind[kind](
      sent.filter((change) => change.kind === kind),
      plan,
      reader,
    ),
  );
  return (await Promise.all(found)).flat();
}

const checkOfKind: Readonly<
  Record<
    ResourceKind,
    (changes: readonly PlannedChange[], plan: Plan, reader: ServiceReader) => Promise<Diagnostic[]>
  >
> = { project: checkProjects, workspace: checkWorkspaces, 'team-access': checkGrants };

const consumersPath = 'remote-state-consumers';

async function checkWorkspaces(
  changes: readonly PlannedChange[],
  plan: Plan,
  reader: ServiceReader,
): Promise<Diagnostic[]> {
  return (await Promise.all(changes.map((change) => checkWorkspace(change, plan, reader)))).flat();
}

async function checkWorkspace(
  change: PlannedChange,
  plan: Plan,
  reader: ServiceReader,
): Promise<Diagnostic[]> {
  const { id, name } = change;
  const { organization } = plan;
  const facts = factsOf(change);
  if (id === undefined) {
    const existing = await identifyWorkspace(reader, { organization, name });
    return existing ? [liveChanged(change, 'it was created')] : [];
  }
  const present = await presentFacts(id, facts, { reader, dialect: plan.dialect });
  if (present === undefined) return [liveChanged(change, 'it was deleted, or this token may not see it')];
  const { dialect, now } = present;
  if (dialect !== plan.dialect) {
    const how = `the plan is in the ${plan.dialect} dialect, but the service uses ${dialect}`;
    return [liveChanged(change, how)];
  }
  const { [consumersPath]: _consumers, ...others } = facts;
  return [
    ...changesSince(others, now).map((how) => liveChanged(change, how)),
    ...(await checkNewName(change, plan, reader)),
    ...(await checkConsumers(change, now, reader)),
  ];
}

/** Checks that the new name of a workspace is still free. */
async function checkNewName(
  change: PlannedChange,
  { organization }: Plan,
  reader: ServiceReader,
): Promise<Diagnostic[]> {
  if (!change.fields.some(({ path }) => path === 'name')) return [];
  const holder = await identifyWorkspace(reader, { organization, name: change.name });
  if (holder === undefined || holder.id === change.id) return [];
  return [liveChanged(change, 'another workspace has its new name')];
}

async function checkConsumers(
  change: PlannedChange,
  now: Facts,
  reader: ServiceReader,
): Promise<Diagnostic[]> {
  const before = change.facts?.[consumersPath];
  if (before === undefined) return [];
  // The service then lists other workspaces, so the stored list cannot be compared.
  const shared = sharingSwitchOf(now);
  if (shared) return [liveChanged(change, `its state is shared with ${sharedWith[shared]} now`)];
  const consumers = await readConsumerList(reader, change.id ?? '');
  if (sameValue(before, consumers.map(({ id }) => id).sort())) return [];
  // Names are readable, and the plan holds them too.
  const planned = change.fields.find(({ path }) => path === consumersPath)?.before ?? before;
  const names = consumers.map(({ id, attributes }) => String(attributes.name ?? id)).sort();
  return [liveChanged(change, `${consumersPath} was ${shownFact(planned)} and is ${shownFact(names)}`)];
}

async function checkProjects(
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

async function checkGrants(
  changes: readonly PlannedChange[],
  plan: Plan,
  reader: ServiceReader,
): Promise<Diagnostic[]> {
  const byProject = groupBy(changes.filter(inExistingProject), ({ facts }) => String(facts?.project));
  const found = await Promise.all(
    [...byProject].map(([project, ofProject]) => checkGrantsOf(project, ofProject, plan, reader)),
  );
  return found.flat();
}

/** A project that the plan creates has no grants to compare. */
function inExistingProject({ facts }: PlannedChange): boolean {
  return !isUncreatedProject(String(facts?.project));
}

/** One list holds all grants of a project: the changed ones, and those that a create requires to be absent. */
async function checkGrantsOf(
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
