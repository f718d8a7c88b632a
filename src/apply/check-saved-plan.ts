import { namedEntries } from '../diff/list-rule.ts';
import { identifyWorkspace, readWorkspace } from '../live/read-workspaces.ts';
import { destroyTime } from '../model/attributes.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { type Plan, sentChanges } from '../model/plan.ts';
import { placeholderOf, resourceKinds, workspaceAddress } from '../model/state.ts';
import { writtenBy } from '../service/call-codec.ts';
import type { ServiceReader } from '../service/client.ts';
import { changesSince, liveChanged, otherId } from './changed-since-plan.ts';
import { keepsDestroyTime } from './check-calls.ts';
import { applyingKinds } from './kinds.ts';

/**
 * Reads only the objects that a saved plan would write, and reports what changed since it was saved. One changed object
 * refuses the whole plan, because the remaining changes were not reviewed without it.
 */
export function checkFacts(plan: Plan, reader: ServiceReader): Promise<Diagnostic[]> {
  return checkEachKind(plan, (kind, changes) => applyingKinds[kind].checkFacts(changes, plan, reader));
}

/**
 * Checks that the ids of a plan file belong to its organization and to the names that it shows. This needs the service,
 * because an id does not contain its organization.
 */
export function checkOrganization(plan: Plan, reader: ServiceReader): Promise<Diagnostic[]> {
  return checkEachKind(plan, (kind, changes) => applyingKinds[kind].checkIds(changes, plan, reader));
}

async function checkEachKind(
  { changes }: Plan,
  check: (kind: (typeof resourceKinds)[number], changes: Plan['changes']) => Promise<Diagnostic[]>,
): Promise<Diagnostic[]> {
  const found = resourceKinds.map((kind) =>
    check(
      kind,
      sentChanges(changes).filter((change) => change.kind === kind),
    ),
  );
  return (await Promise.all(found)).flat();
}

/** Checks that the consumers that calls write are those whose names are shown. */
export async function checkConsumerNames(plan: Plan, reader: ServiceReader): Promise<Diagnostic[]> {
  const { organization } = plan;
  const found = await Promise.all(
    sentChanges(plan.changes).map(async ({ address, fields, calls }) => {
      const field = fields.find(({ path }) => path === 'remote-state-consumers');
      const rules = calls.flatMap((call) => writtenBy(call, plan.dialect).consumers ?? []);
      const sent = rules.flatMap(namedEntries);
      if (field === undefined || sent.length === 0) return [];
      const shown = [field.after, field.add ?? [], field.remove ?? []].flat().map(String);
      const ids = await Promise.all(
        [...new Set(shown)].map(async (name) => {
          const live = await identifyWorkspace(reader, { organization, name });
          return live?.id ?? name;
        }),
      );
      const known = new Set([...ids, ...shown.map((name) => placeholderOf(workspaceAddress(name)))]);
      const other = sent.filter((id) => !known.has(id));
      return other.map((id) => otherId(address, `${id} is not the id of a consumer that is shown`));
    }),
  );
  return found.flat();
}

/** Checks that the destroy times that calls send without showing them are the live ones. */
export async function checkDestroyTimes(plan: Plan, reader: ServiceReader): Promise<Diagnostic[]> {
  const kept = sentChanges(plan.changes).filter(({ fields }) => keepsDestroyTime(fields));
  const found = kept.map(async (change) => {
    const sent = change.calls.map((call) => writtenBy(call, plan.dialect).values[destroyTime]);
    const times = sent.filter((time) => time !== undefined);
    if (times.length === 0) return [];
    const live = await readWorkspace(reader, { id: change.id ?? '' }, plan);
    return times
      .flatMap((time) => changesSince({ [destroyTime]: time }, live?.workspace.attributes ?? {}))
      .map((how) => liveChanged(change, how));
  });
  return (await Promise.all(found)).flat();
}
