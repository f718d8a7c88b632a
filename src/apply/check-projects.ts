import { includingBindings } from '../live/included.ts';
import { projectFromDocument } from '../live/project-document.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan, PlannedChange } from '../model/plan.ts';
import type { ServiceReader } from '../service/client.ts';
import { projectsOf, readList } from '../service/paging.ts';
import { changesSince } from './changed-since-plan.ts';
import { liveChanged, otherId } from './saved-plan-diagnostics.ts';

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
