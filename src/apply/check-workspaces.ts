import { identifyWorkspace } from '../live/read-workspaces.ts';
import { sharedWith, sharingSwitchOf } from '../model/attributes.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan, PlannedChange } from '../model/plan.ts';
import { sameValue } from '../model/value.ts';
import type { Facts } from '../plan/facts.ts';
import { readConsumerList } from '../relations/relations.ts';
import type { ServiceReader } from '../service/client.ts';
import { changesSince, factsOf, liveChanged, otherId, shownFact } from './changed-since-plan.ts';
import { presentFacts } from './present-values.ts';

const consumersPath = 'remote-state-consumers';

/** Reads the workspaces that a saved plan would change, and compares them with the facts of the plan. */
export async function checkWorkspaceFacts(
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

/** Whether the ids of workspaces are the ids of the names that a plan file shows. */
export async function checkWorkspaceIds(
  changes: readonly PlannedChange[],
  { organization }: Plan,
  reader: ServiceReader,
): Promise<Diagnostic[]> {
  const found = changes.map(async ({ address, name: after, id, facts = {} }) => {
    if (id === undefined) return [];
    const name = String(facts.name ?? after);
    const live = await identifyWorkspace(reader, { organization, name });
    // The check of the facts reports a workspace that no longer exists.
    return live === undefined || live.id === id ? [] : [otherId(address, `${id} is not the id of ${name}`)];
  });
  return (await Promise.all(found)).flat();
}
