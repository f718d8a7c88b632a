import { byActionAndAddress, type Difference } from '../diff/diff.ts';
import { orderOf } from '../diff/order.ts';
import { type StatesOfPlan, statesOfPlan } from '../diff/settings-in-effect.ts';
import { causeAmong } from '../hold/keep-live.ts';
import type { Live } from '../live/read-live.ts';
import type { Action, Change } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import { isHeld, type Plan, type PlannedChange, type PlanSummary, savedRequests } from '../model/plan.ts';
import type { Hold } from '../model/rules.ts';
import { type Resource, workspaceAddress } from '../model/state.ts';
import { canonicalDigest, noneIfEmpty, withoutUndefined } from '../model/value.ts';
import { type Labels, labelledField, labelsAfter } from '../resolve/labels.ts';
import { type ProtectingRules, planningOf } from './kinds.ts';

/** The input of a plan. */
export interface PlanInput {
  readonly configuration: Configuration;
  readonly live: Live;
  readonly difference: Difference;
  /** The service's address as it is shown, or the word `embedded`. */
  readonly address: string;
  /** What waits of the changes that were found. The difference is without it. @default nothing */
  readonly waiting?: Waiting;
  /** The time of the run, in milliseconds. Leaving a freeze window that has passed loses no protection. @default 0 */
  readonly now?: number;
}

/** Changes of which all or some fields wait. */
export interface Waiting {
  /** All changes that were found. */
  readonly changes: readonly Change[];
  readonly held: ReadonlyMap<string, readonly Hold[]>;
}

/** A plan without what follows from its changes: {@link withEffects} adds that. */
export type PlanOfCalls = Omit<Plan, 'effects' | 'overview'>;

/**
 * Turns changes into a plan: the exact calls of each, what must come before it, and the counts. It is plain data; the
 * same input gives the same bytes. Limits are not checked; {@link makePlan} checks them.
 *
 * @example
 * ```ts
 * const live = await readLive(client, liveQueryOf(configuration));
 * const difference = diff(configuration, live);
 * const plan = createPlan({ configuration, live, difference, address });
 * const call = plan.changes.at(-1)?.calls[0];
 * console.log(call?.operation, call?.mode); // deleteWorkspace safe
 * ```
 */
export function createPlan(input: PlanInput): PlanOfCalls {
  const { configuration, live, difference, address, waiting, now = 0 } = input;
  const { organization } = configuration.desired;
  const { roots = [configuration] } = configuration;
  const before = orderOf(difference.changes, roots);
  const states = statesOfPlan(live, difference.after);
  // A root file calls ids by its own aliases, and its rules apply to what it declares.
  const freeze = (configuration.holds?.freeze ?? []).filter(({ periodAt }) => periodAt(now));
  const labelled = roots.map((root) => ({
    labels: labelsAfter(root, live, difference.changes),
    rules: { guards: root.guards, freeze },
  }));
  const planned = (change: Change) => {
    const own = labelled[difference.owners.get(change.address) ?? 0] as (typeof labelled)[number];
    return plannedChange(change, { configuration, live, before, states, ...own });
  };
  const sent = difference.changes.map(planned);
  const changes = waiting?.held.size ? withWaiting(sent, waiting, planned) : sent;
  return {
    organization,
    address,
    dialect: live.dialect,
    without: noneIfEmpty(live.missing),
    summary: countChanges(changes, difference.unchanged),
    changes,
    unmanaged: difference.unmanaged,
    undeclaredAccess: noneIfEmpty(difference.undeclaredAccess),
    diagnostics: [...configuration.diagnostics, ...live.diagnostics, ...difference.diagnostics],
  };
}

interface PlannedContext extends Pick<PlanInput, 'configuration' | 'live'> {
  readonly rules: ProtectingRules;
  readonly labels: Labels;
  readonly before: ReturnType<typeof orderOf>;
  readonly states: StatesOfPlan;
}

function plannedChange(
  change: Change,
  { configuration, rules, live, labels, before, states }: PlannedContext,
): PlannedChange {
  const { organization, resources: declared } = configuration.desired;
  const resource = declared.get(change.address);
  const kind = planningOf(change.kind);
  const calls = kind.calls(change, organization, live.dialect);
  const { mode, resources, grants, protectionLost } = kind.details(change, rules, states);
  return {
    address: change.address,
    kind: change.kind,
    name: change.name,
    id: change.live?.id,
    action: change.action,
    mode,
    location: change.location,
    resources,
    fields: change.fields.map((field) => labelledField(field, labels)),
    cause: change.cause,
    origins: originsOf(change, configuration),
    protectionLost,
    grants,
    until: change.action === 'delete' ? undefined : resource?.declared?.until?.written,
    calls,
    dependsOn: [...new Set(before(change).map(({ address }) => address))].sort(),
    facts: kind.facts(change),
    declared: resource && declarationDigest(resource),
  };
}

/** The changes that are sent, and those that wait, without calls. */
function withWaiting(
  sent: readonly PlannedChange[],
  { changes, held }: Waiting,
  planned: (change: Change) => PlannedChange,
): readonly PlannedChange[] {
  const sentChanges = new Map(sent.map((change) => [change.address, change]));
  const all = changes.map((change) => mergeChange(planned(change), sentChanges.get(change.address), held));
  const known = new Set(changes.map(({ address }) => address));
  return [...all, ...sent.filter(({ address }) => !known.has(address))].sort(byActionAndAddress);
}

function mergeChange(
  change: PlannedChange,
  sent: PlannedChange | undefined,
  held: Waiting['held'],
): PlannedChange {
  const own = held.get(change.address) ?? [];
  const holds = [...own, ...following(change, sent, { own, held })];
  const paths = new Set(change.fields.map(({ path }) => path));
  const sentFields = new Map(sent?.fields.map((field) => [field.path, field]));
  const fields = [
    ...change.fields.map((field) => sentFields.get(field.path) ?? field),
    ...[...sentFields.values()].filter(({ path }) => !paths.has(path)),
  ];
  const { origins: found, protectionLost, ...rest } = change;
  const origins = { ...found, ...sent?.origins };
  return {
    ...rest,
    // What a freeze window holds ends the protection after it, and an exception keeps it.
    protectionLost: holds.some(({ by }) => by === 'freeze') ? protectionLost : undefined,
    // What is held can have members that the rest of the change does not have.
    ...(sent ? withoutUndefined(sent) : { calls: [], dependsOn: [] }),
    fields,
    origins: Object.keys(origins).length > 0 ? origins : undefined,
    held: noneIfEmpty(holds),
  };
}

/** The hold of fields that differ no more because a selector, or a value that is inherited, depends on what is held. */
function following(
  { fields }: PlannedChange,
  sent: PlannedChange | undefined,
  { own, held }: { readonly own: readonly Hold[]; readonly held: Waiting['held'] },
): Hold[] {
  const isSent = new Set(sent?.fields.map(({ path }) => path));
  const isCovered = (path: string) => own.some((hold) => hold.fields?.includes(path) ?? true);
  const left = fields.filter(({ path }) => !isSent.has(path) && !isCovered(path));
  const entries = left.flatMap(({ add = [], remove = [] }) => [...add, ...remove]);
  const cause = causeAmong(held, new Set(entries.map(workspaceAddress)));
  if (left.length === 0 || cause === undefined) return [];
  const { address, hold } = cause;
  return [{ ...hold, reason: `depends on ${address}: ${hold.reason}`, fields: left.map(({ path }) => path) }];
}

export function countChanges(changes: readonly PlannedChange[], unchanged: number): PlanSummary {
  const sent = changes.filter((change) => !isHeld(change));
  const count = (action: Action) => sent.filter((change) => change.action === action).length;
  const held = changes.filter((change) => change.held !== undefined).length;
  const calls = changes.flatMap((change) => change.calls);
  return {
    create: count('create'),
    update: count('update'),
    delete: count('delete'),
    unchanged,
    ...(held > 0 && { held }),
    calls: calls.length - savedRequests(calls),
  };
}

function originsOf(
  { address, fields }: Change,
  { layered }: Pick<Configuration, 'layered'>,
): PlannedChange['origins'] {
  const declared = layered.get(address)?.fields;
  const origins = fields.flatMap(({ path }) => {
    const location = declared?.get(path)?.location;
    return location ? [[path, location] as const] : [];
  });
  return origins.length > 0 ? Object.fromEntries(origins) : undefined;
}

/** Changes whenever a declaration changes, except for its location. */
export function declarationDigest({ attributes, declared = {} }: Resource): string {
  const { locations: _locations, ...rules } = declared;
  return canonicalDigest({ attributes, rules });
}
