import { changesSince, factsOf, planAgainHint } from '../apply/changed-since-plan.ts';
import { applyingKinds } from '../apply/check-calls.ts';
import { checkFacts } from '../apply/check-facts.ts';
import { isGone } from '../apply/present-values.ts';
import { withSavedCauses } from '../diff/base/compared-with-base.ts';
import type { LiveSource } from '../live/live-source.ts';
import { identifyWorkspace } from '../live/read-workspaces.ts';
import { type AliasKind, isIdOf, referencePaths } from '../model/alias-kind.ts';
import { DiagnosticsError } from '../model/attune-error.ts';
import type { FieldChange } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import { type Diagnostic, note, problem } from '../model/diagnostic.ts';
import { type Plan, type PlannedChange, sentChanges } from '../model/plan.ts';
import { isRecord, isTexts } from '../model/value.ts';
import { countChanges, declarationDigest } from '../plan/create-plan.ts';
import { type NamesOf, namesOfKinds, withFoundNames } from '../resolve/look-up-names.ts';
import type { ServiceClient, ServiceReader } from '../service/client.ts';
import { differencesOfPlans, type PlanDifference } from './plan-differences.ts';

export interface Replan {
  readonly saved: Plan;
  /** The input of the plan. */
  readonly source: 'files' | 'journal';
  readonly client: ServiceClient;
  readonly configuration: Configuration;
  /** Makes the plan for the addresses of the saved one. */
  readonly plan: () => Promise<Plan>;
}

/**
 * Plans the addresses of a saved plan again and compares. The new plan is applied; the saved one only proves what was
 * reviewed.
 *
 * @throws {DiagnosticsError} with every difference.
 */
export async function replan({ saved, source, client, configuration, plan }: Replan): Promise<Plan> {
  const again = withSavedCauses(await withNamesOf(saved, await planned(saved, client, plan), client), saved);
  const { resources } = configuration.desired;
  const declaredNow = (address: string) => {
    const resource = resources.get(address);
    return resource && declarationDigest(resource);
  };
  const isDeclaredAlike = ({ address, declared }: PlannedChange) => declared === declaredNow(address);

  const differences = differencesOfPlans({ saved, again, declaredNow });
  if (differences.length === 0 && hasSameFacts(saved, again)) return again;
  const moved = await checkFacts(saved, client);
  if (differences.length === 0 && moved.length === 0) return again;

  const isMoved = new Set(moved.map(({ address }) => address));
  const sent = sentChanges(saved.changes);
  const isApplied =
    sent.length > 0 &&
    sent.every((change) => isDeclaredAlike(change) && isMoved.has(change.address) && isMade(change, again)) &&
    (await areGone(sent, client));
  if (isApplied) return withNote(again);

  // With the same declaration, a change of the live values explains the other differences of that address. Those that
  // are reported are values that the saved plan did not change.
  const others = differences.filter(
    ({ change, isAdded }) => isAdded || !(isMoved.has(change.address) && isDeclaredAlike(change)),
  );
  const placed = (diagnostic: Diagnostic): Diagnostic => {
    // The location in the saved plan is from the former files.
    const { location: _saved, ...rest } = diagnostic;
    const location = resources.get(rest.address ?? '')?.location;
    return { ...rest, ...(location && { location }) };
  };
  throw new DiagnosticsError(
    [...moved, ...others.map((difference) => diagnosticOf(difference, source))].map(placed),
  );
}

/** A change of the live state can make the new plan impossible; then both are reported. */
async function planned(saved: Plan, client: ServiceClient, plan: () => Promise<Plan>): Promise<Plan> {
  try {
    return await plan();
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error;
    const moved = await checkFacts(saved, client);
    const unplaced = moved.map(({ location: _saved, ...diagnostic }) => diagnostic);
    throw new DiagnosticsError([...unplaced, ...error.diagnostics]);
  }
}

/** Compares live values that no call contains: a workspace to delete can have other tags than the reviewed ones. */
function hasSameFacts(saved: Plan, again: Plan): boolean {
  const now = new Map(again.changes.map((change) => [change.address, factsOf(change)]));
  return saved.changes.every(
    (change) => changesSince(factsOf(change), now.get(change.address) ?? {}).length === 0,
  );
}

/** Whether nothing of a saved change differs any more. Another part of it can wait, or can have waited then. */
function isMade({ address, action, fields }: PlannedChange, again: Plan): boolean {
  const now = again.changes.find((change) => change.address === address);
  if (now === undefined) return true;
  if (action !== 'update' || now.action !== 'update') return false;
  return !now.fields.some(({ path }) => fields.some((field) => field.path === path));
}

async function areGone(changes: readonly PlannedChange[], client: ServiceClient): Promise<boolean> {
  const deleted = changes.filter(({ action }) => action === 'delete');
  const gone = await Promise.all(
    deleted.map(({ kind, id = '' }) => isGone(applyingKinds[kind].pathOf(id), client)),
  );
  return gone.every(Boolean);
}

function withNote(plan: Plan): Plan {
  const found = note(
    'already-applied',
    `the saved plan of ${plan.organization} is already applied: no changes are needed`,
  );
  // What has waited when the plan was saved was not reviewed to be sent.
  const summary = countChanges([], plan.summary.unchanged);
  return { ...plan, changes: [], summary, diagnostics: [...plan.diagnostics, found] };
}

function diagnosticOf(
  { change: { address }, cause, how }: PlanDifference,
  source: Replan['source'],
): Diagnostic {
  const message = {
    live: `the plan is stale: ${address} changed after the plan was saved (${how})`,
    declarations: `the ${source} changed after the plan was saved: ${address}: ${how}`,
    holds: `what is held changed after the plan was saved: ${address}: ${how}`,
    neither: `the plan file does not match the ${source}: ${address}: ${how}`,
  }[cause];
  return problem(cause === 'live' ? 'moved-on' : 'plan-differs', message, {
    at: { address },
    hint: planAgainHint,
  });
}

/*
 * A plan for a few addresses reads less than the whole plan, so it may have fewer names. The names that the saved plan
 * shows are looked up, so that both plans can be compared as printed.
 */

/** The configuration with the ids of those aliases and names that the saved plan shows, as far as they can be looked up. */
export async function withAliasesOf(
  saved: Plan,
  configuration: Configuration,
  source: Pick<LiveSource, 'names'>,
): Promise<Configuration> {
  const { aliases, lookUps } = configuration;
  // Values that no file names are shown by name, too, if the plan has read the names of their kind.
  const isOpen = ({ kind, text }: Reference) => {
    const id = aliases[kind].get(text);
    const ofKind = lookUps.filter((lookUp) => lookUp.kind === kind);
    if (id !== undefined) return ofKind.some(({ placeholder }) => placeholder === id);
    return ofKind.length > 0 && !isIdOf(kind, text);
  };
  const shown = saved.changes.flatMap(({ fields }) => fields.flatMap(referencesIn));
  const kinds = new Set(shown.filter(isOpen).map(({ kind }) => kind));
  const namesOf: NamesOf = (kind) => source.names(configuration.desired.organization, kind);
  return withFoundNames(configuration, await namesOfKinds(namesOf, kinds), []);
}

interface Reference {
  readonly kind: AliasKind;
  /** An alias, a name or an id. */
  readonly text: string;
}

function referencesIn({ path, before, after }: FieldChange): Reference[] {
  const connection = path === 'vcs-repo' && isRecord(before) ? before['oauth-token-id'] : undefined;
  const kind = connection === undefined ? referencePaths[path] : 'vcs-connections';
  if (kind === undefined) return [];
  const values = connection === undefined ? [before, after] : [connection];
  return values.flatMap((text) => (typeof text === 'string' ? { kind, text } : []));
}

/** The plan with the names of consumers that the service returned by id only. */
async function withNamesOf(saved: Plan, again: Plan, reader: ServiceReader): Promise<Plan> {
  const known = new Set(saved.changes.flatMap(({ fields }) => fields.flatMap(consumersIn)));
  const unknown = new Set(
    again.changes
      .flatMap(({ fields }) => fields.flatMap(consumersIn))
      .filter((key) => key.startsWith('ws-') && !known.has(key)),
  );
  if (unknown.size === 0) return again;
  const names = new Map<string, string>();
  await Promise.all(
    [...unknown].map(async (id) => {
      const name = (await identifyWorkspace(reader, { id }))?.name;
      if (typeof name === 'string') names.set(id, name);
    }),
  );
  const named = (keys: readonly string[]) => keys.map((key) => names.get(key) ?? key).sort();
  const changes = again.changes.map((change) => ({
    ...change,
    fields: change.fields.map((field): FieldChange => {
      if (field.path !== 'remote-state-consumers') return field;
      const { before, after, add, remove } = field;
      return {
        ...field,
        before: isTexts(before) ? named(before) : before,
        after: isTexts(after) ? named(after) : after,
        ...(add && { add: named(add) }),
        ...(remove && { remove: named(remove) }),
      };
    }),
  }));
  return { ...again, changes };
}

function consumersIn({ path, before, after }: FieldChange): string[] {
  if (path !== 'remote-state-consumers') return [];
  return [before, after].flatMap((value) => (isTexts(value) ? value : []));
}
