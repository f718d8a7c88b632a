import { grantFromDocument } from '../live/grant-document.ts';
import { readSingle, readWorkspace } from '../live/read-workspaces.ts';
import { readConsumerList, readRetentionPolicy } from '../live/workspace-details.ts';
import { workspaceFromDocument } from '../live/workspace-document.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan, PlannedChange } from '../model/plan.ts';
import { groupBy, sameValue, type Value } from '../model/value.ts';
import type { Facts } from '../plan/facts.ts';
import type { ServiceReader } from '../service/client.ts';
import { relatedId } from '../service/documents.ts';
import { grantsOf } from '../service/lists.ts';
import { readList } from '../service/paging.ts';
import { dialectOf } from '../service/wire-codec.ts';
import { movedSince, repositoryOf, shown } from './moved-since.ts';

/** The hint of every difference between a saved plan and what is found when it is applied. */
export const planAgainHint = 'run `attune plan --out` again, and have the new plan reviewed';

/**
 * Reads what a saved plan would touch, and nothing else, and tells what has moved on since it was made. Whoever applies
 * a reviewed plan applies what was reviewed, so one moved object refuses all of it.
 */
export async function checkFacts(plan: Plan, reader: ServiceReader): Promise<Diagnostic[]> {
  const workspaces = plan.changes.filter(({ kind }) => kind === 'workspace');
  const grants = groupBy(
    plan.changes.filter(({ kind }) => kind === 'team-access'),
    ({ facts }) => String(facts?.project),
  );
  const moved = await Promise.all([
    ...workspaces.map((change) => checkWorkspace(change, plan, reader)),
    ...[...grants].map(([project, changes]) => checkGrants(project, changes, plan, reader)),
  ]);
  return moved.flat();
}

async function checkWorkspace(
  change: PlannedChange,
  plan: Plan,
  reader: ServiceReader,
): Promise<Diagnostic[]> {
  const { facts = {}, id } = change;
  if (id === undefined) {
    const there = await readSingle(reader, plan.organization, change.name);
    return there ? [movedOn(change, 'it exists by now')] : [];
  }
  const document = await readWorkspace(reader, id);
  if (document === undefined) return [movedOn(change, 'it is gone, or this token may not see it')];
  const dialect = dialectOf(document);
  if (dialect && dialect !== plan.dialect) {
    return [movedOn(change, `the plan is in the ${plan.dialect} dialect, and the service speaks ${dialect}`)];
  }
  const live = workspaceFromDocument(document, plan.dialect);
  const now: Record<string, Value> = { ...live.attributes, name: live.name };
  if ('vcs-repo' in facts) now['vcs-repo'] = repositoryOf(live.attributes);
  if ('data-retention' in facts && now['data-retention'] !== null) {
    now['data-retention'] = await readRetentionPolicy(reader, id);
  }
  const moved = differences(change, withoutConsumers(facts), now);
  return [
    ...moved,
    ...(await checkNewName(change, plan, reader)),
    ...(await checkConsumers(change, now, reader)),
  ];
}

/** The new name of a workspace must still be free. */
async function checkNewName(change: PlannedChange, plan: Plan, reader: ServiceReader): Promise<Diagnostic[]> {
  if (!change.fields.some(({ path }) => path === 'name')) return [];
  const there = await readSingle(reader, plan.organization, change.name);
  if (there === undefined || there.id === change.id) return [];
  return [movedOn(change, 'another workspace has its new name by now')];
}

async function checkConsumers(
  change: PlannedChange,
  now: Facts,
  reader: ServiceReader,
): Promise<Diagnostic[]> {
  const before = change.facts?.['remote-state-consumers'];
  if (before === undefined) return [];
  // Then the service lists every workspace there is, and what is stored cannot be compared.
  if (now['global-remote-state'] === true)
    return [movedOn(change, 'its state is shared with all workspaces by now')];
  const consumers = await readConsumerList(reader, change.id ?? '');
  if (sameValue(before, consumers.map(({ id }) => id).sort())) return [];
  // People know consumers by their names, which the plan has too.
  const told = change.fields.find(({ path }) => path === 'remote-state-consumers')?.before ?? before;
  const names = consumers.map(({ id, attributes }) => String(attributes.name ?? id)).sort();
  return [movedOn(change, `remote-state-consumers was ${shown(told)} and is ${shown(names)}`)];
}

function withoutConsumers(facts: Facts): Facts {
  const { 'remote-state-consumers': _consumers, ...others } = facts;
  return others;
}

/** One list tells all grants of a project: those that shall change, and that those to come are not there. */
async function checkGrants(
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
    if (facts.exists === false) return document ? [movedOn(change, 'it exists by now')] : [];
    if (document === undefined || document.id !== change.id) return [movedOn(change, 'it is gone')];
    return differences(change, facts, grantFromDocument(document, project, plan.dialect).attributes);
  });
}

function differences(change: PlannedChange, facts: Facts, now: Facts): Diagnostic[] {
  return movedSince(facts, now).map((how) => movedOn(change, how));
}

function movedOn(change: PlannedChange, how: string): Diagnostic {
  return {
    severity: 'error',
    code: 'moved-on',
    message: `the live state changed after the plan was saved: ${change.address}: ${how}`,
    address: change.address,
    ...(change.location && { location: change.location }),
    hint: planAgainHint,
  };
}
