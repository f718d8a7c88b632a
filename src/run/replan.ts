import { changesSince, factsOf } from '../apply/changed-since-plan.ts';
import { checkFacts } from '../apply/check-saved-plan.ts';
import { applyingKinds } from '../apply/kinds.ts';
import { isGone } from '../apply/read-if-there.ts';
import { planAgainHint } from '../apply/saved-plan-diagnostics.ts';
import type { Configuration } from '../desired/configuration.ts';
import { DiagnosticsError } from '../model/attune-error.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { type Plan, type PlannedChange, sentChanges } from '../model/plan.ts';
import { withSavedCauses } from '../plan/compared-with-base.ts';
import { planSummary } from '../plan/create-plan.ts';
import { type PlanDifference, planDifferences } from '../plan/plan-differences.ts';
import { declarationDigest } from '../plan/plan-document.ts';
import type { ServiceClient } from '../service/client.ts';
import { withNamesOf } from './saved-names.ts';

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

  const differences = planDifferences({ saved, again, declaredNow });
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
  const note: Diagnostic = {
    severity: 'note',
    code: 'already-applied',
    message: `the saved plan of ${plan.organization} is already applied: no changes are needed`,
  };
  // What has waited when the plan was saved was not reviewed to be sent.
  const summary = planSummary([], plan.summary.unchanged);
  return { ...plan, changes: [], summary, diagnostics: [...plan.diagnostics, note] };
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
  return {
    severity: 'error',
    code: cause === 'live' ? 'moved-on' : 'plan-differs',
    message,
    address,
    hint: planAgainHint,
  };
}
