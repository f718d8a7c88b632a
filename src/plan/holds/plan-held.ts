import type { Configuration } from '../../desired/configuration.ts';
import { byActionAndAddress, type Difference, type DiffOptions } from '../../diff/diff.ts';
import { DiagnosticsError } from '../../model/attune-error.ts';
import type { Change } from '../../model/change.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { FreezeWindow, Hold } from '../../model/hold.ts';
import type { Plan, PlannedChange } from '../../model/plan.ts';
import { nameOfAddress } from '../../model/state.ts';
import { countChanges, createPlan, type PlanInput } from '../create-plan.ts';
import { reportsAll } from '../plan-request.ts';
import { exceptionHolds } from './exceptions.ts';
import { freezeHolds, nextFreezes } from './freeze.ts';
import { type FoundHolds, type HeldChanges, type HoldInput, heldFieldsOf, holdOf } from './hold-input.ts';
import { withDependents, withoutHeld } from './without-held.ts';

/** The input of a plan, and what decides which of its changes wait. */
export interface HeldPlanInput
  extends PlanInput,
    Pick<HoldInput, 'now' | 'chosen' | 'overridesFreeze' | 'purpose'> {
  /** The configuration with everything that it declares, also what the run does not compare. */
  readonly declared: Configuration;
  /** Compares a part of the configuration with the same live state. */
  readonly compare: (configuration: Configuration, options: DiffOptions) => Difference;
}

/** A plan of which some changes wait. */
export interface HeldPlan {
  /** With all changes; those that wait have no calls. */
  readonly plan: Plan;
  /** The changes that are sent, and the state after them: what limits, guards and policies evaluate. */
  readonly sent: Difference;
  /** Whether a date decides something. */
  readonly isDated: boolean;
}

/** Makes a plan without what its configuration holds back. If nothing is held, it is the plan of {@link createPlan}. */
export function planHeld(input: HeldPlanInput): HeldPlan {
  const { configuration, difference } = input;
  const full = createPlan({ ...input, configuration: input.declared });
  if (configuration.holds === undefined) return { plan: full, sent: difference, isDated: false };
  const held = holdBack(full, input);
  const next = nextFreezes(windowsOf(input), { ...input, difference: held.sent });
  const changes = held.plan.changes.map((change) => {
    const nextFreeze = next.get(change.address);
    return nextFreeze ? { ...change, nextFreeze } : change;
  });
  return { ...held, plan: { ...held.plan, changes } };
}

function holdBack(full: Plan, input: HeldPlanInput): HeldPlan {
  const { difference, compare, declared } = input;
  const everything = compare(declared, {});
  const find = (one: Difference) =>
    findHolds({ ...input, configuration: declared, everything, difference: one });
  const { byAddress, diagnostics, isDated } = find(difference);
  const noted = (notes: readonly Diagnostic[]) => ({
    ...full,
    diagnostics: [...full.diagnostics, ...notes],
  });
  if (byAddress.size === 0) return { plan: noted(diagnostics), sent: difference, isDated };

  const { held, sent, following } = leaveOut(full, byAddress, { ...input, find });
  const rest = createPlan({ ...input, configuration: input.declared, difference: sent });
  const notes = diagnostics.filter((one) => following.every((holds) => !isUsedIn(holds, one)));
  return { plan: mergeHeld(noted(notes), rest, held), sent, isDated };
}

/** Whether a note is about an exception that holds back what only follows from other holds. */
function isUsedIn({ diagnostics }: Holds, { code, location }: Diagnostic): boolean {
  return code === 'exception-unused' && diagnostics.every((one) => one.location !== location);
}

/**
 * Compares without what is held. A change that is an error without it is held, too, and so is what the rules hold of
 * changes that only follow from it.
 *
 * @throws {DiagnosticsError} for an error that is about no change.
 */
function leaveOut(
  full: Plan,
  byAddress: HeldChanges,
  {
    configuration,
    difference,
    chosen,
    compare,
    find,
  }: HeldPlanInput & { readonly find: (difference: Difference) => Holds },
): { readonly held: HeldChanges; readonly sent: Difference; readonly following: readonly Holds[] } {
  const isKnown = (one: Diagnostic) =>
    full.diagnostics.some(({ code, address }) => code === one.code && address === one.address);
  const found: Holds[] = [];
  let held = withDependents(full.changes, byAddress);
  for (;;) {
    const rest = withoutHeld(configuration, difference.changes, { held, chosen });
    const sent = compare(rest.configuration, { chosen: rest.chosen });
    const errors = sent.diagnostics.filter((one) => one.severity === 'error' && !isKnown(one));
    const holds = find(sent);
    found.push(holds);
    const following = holds.byAddress;
    if (errors.length === 0 && following.size === 0) return { held, sent, following: found };
    const failing = errors.flatMap(({ address, message }) =>
      address !== undefined && rest.chosen(address) ? [{ address, message }] : [],
    );
    if (failing.length + following.size === 0) throw new DiagnosticsError([...full.diagnostics, ...errors]);
    held = withDependents(
      full.changes,
      failing.reduce((all, one) => withFailing(all, one), withHolds(held, following)),
    );
  }
}

function withHolds(held: HeldChanges, more: HeldChanges): HeldChanges {
  return new Map([
    ...held,
    ...[...more].map(([address, holds]) => [address, [...(held.get(address) ?? []), ...holds]] as const),
  ]);
}

/** Holds a change that cannot be sent without what is held. */
function withFailing(
  held: HeldChanges,
  { address, message }: { readonly address: string; readonly message: string },
): HeldChanges {
  const own = held.get(address) ?? [];
  const cause = own[0] ?? causeAmong(held)?.hold;
  if (cause === undefined) return held;
  const { fields: _fields, ...hold } = cause;
  const reason = `${hold.reason}: without what is held, ${message}`;
  return withHolds(held, new Map([[address, [{ ...hold, reason }]]]));
}

/**
 * What is held and has one of the names, else what is held first. Other resources depend on what selectors and scopes
 * match rather than on other fields.
 */
function causeAmong(
  held: HeldChanges,
  names: ReadonlySet<string> = new Set(),
): { readonly address: string; readonly hold: Hold } | undefined {
  const all = [...held].flatMap(([address, holds]) => holds.map((hold) => ({ address, hold })));
  const ordered = [...all.filter(({ hold }) => holdOf([hold], selected)), ...all];
  return ordered.find(({ address }) => names.has(nameOfAddress(address))) ?? ordered[0];
}

/** The fields that selectors and scopes match. */
const selected: ReadonlySet<string> = new Set(['name', 'project', 'tags', 'tag-bindings']);

/** The plan of what is sent, with what is held among its changes. */
function mergeHeld(full: Plan, sent: Plan, held: HeldChanges): Plan {
  const sentChanges = new Map(sent.changes.map((change) => [change.address, change]));
  const merged = full.changes.map((change) => mergeChange(change, sentChanges.get(change.address), held));
  const known = new Set(full.changes.map(({ address }) => address));
  // A selector that matches something while it is held can cause another change.
  const changes = [...merged, ...sent.changes.filter(({ address }) => !known.has(address))].sort(
    byActionAndAddress,
  );
  return {
    ...full,
    summary: countChanges(changes, full.summary.unchanged),
    changes,
    effects: sent.effects,
    overview: sent.overview,
  };
}

function mergeChange(
  change: PlannedChange,
  sent: PlannedChange | undefined,
  held: HeldChanges,
): PlannedChange {
  const own = held.get(change.address) ?? [];
  const following = follows(change, sent, { own, held });
  const holds = [...own, ...following];
  const sentFields = new Map(sent?.fields.map((field) => [field.path, field]));
  const paths = new Set(change.fields.map(({ path }) => path));
  const fields = [
    ...change.fields.map((field) => sentFields.get(field.path) ?? field),
    ...[...sentFields.values()].filter(({ path }) => !paths.has(path)),
  ];
  const { origins: ownOrigins, ...rest } = change;
  const origins = { ...ownOrigins, ...sent?.origins };
  return {
    ...rest,
    ...(sent ?? { calls: [], dependsOn: [] }),
    fields,
    ...(Object.keys(origins).length > 0 && { origins }),
    ...(holds.length > 0 && { held: holds }),
  };
}

/** The hold of a field that is left out only because a selector depends on something that is held. */
function follows(
  change: PlannedChange,
  sent: PlannedChange | undefined,
  { own, held }: { readonly own: readonly Hold[]; readonly held: HeldChanges },
): Hold[] {
  const covered = heldFieldsOf(own);
  if (covered === undefined) return [];
  const isSent = new Set(sent?.fields.map(({ path }) => path));
  const left = change.fields.filter(({ path }) => !isSent.has(path) && !covered.has(path));
  const missing = left.map(({ path }) => path);
  if (missing.length === 0) return [];
  const entries = new Set(left.flatMap(({ add = [], remove = [] }) => [...add, ...remove]));
  const cause = causeAmong(held, entries);
  if (cause === undefined) return [];
  const { address, hold } = cause;
  return [{ ...hold, reason: `depends on ${address}: ${hold.reason}`, fields: missing }];
}

/** Why changes wait. */
interface Holds {
  /** By address. The fields of a change that only waits for another one are not here. */
  readonly byAddress: HeldChanges;
  readonly diagnostics: readonly Diagnostic[];
  /** Whether a date decides something. */
  readonly isDated: boolean;
}

/**
 * Decides which planned changes, and which of their fields, wait. Pure: the clock is part of the input.
 *
 * Each rule has a separate file. The holds are merged by address, rules in the order of the language.
 */
function findHolds(input: HoldInput): Holds {
  const known = exceptionHolds(input.configuration.holds?.exceptions ?? [], input);
  // A window keeps nothing back of a change that exceptions hold anyway.
  const changes = input.difference.changes.filter((change) => !isHeldBy(known, change));
  const frozen = freezeHolds(windowsOf(input), { ...input, changes });
  const byAddress = new Map<string, readonly Hold[]>();
  for (const { change, hold } of [...known.held, ...frozen.held])
    byAddress.set(change.address, [...(byAddress.get(change.address) ?? []), hold]);
  return { byAddress, diagnostics: known.diagnostics, isDated: known.isDated || frozen.isDated };
}

/** The windows that count. */
function windowsOf({
  configuration,
  overridesFreeze,
  purpose,
}: Pick<HoldInput, 'configuration' | 'overridesFreeze' | 'purpose'>): readonly FreezeWindow[] {
  return overridesFreeze || reportsAll({ purpose }) ? [] : (configuration.holds?.freeze ?? []);
}

/** Whether exceptions, which hold fields, hold all of a change. */
function isHeldBy({ held }: FoundHolds, change: Change): boolean {
  const holds = held.flatMap((one) => (one.change === change ? one.hold : []));
  const fields = new Set(holds.flatMap((hold) => hold.fields ?? []));
  return holds.length > 0 && change.fields.every(({ path }) => fields.has(path));
}
