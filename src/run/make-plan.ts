/*
 * The plan of one organization: each stage once, in this order.
 *
 *   query = liveQueryOf(configuration)              what has to be read
 *   read  = source.read(query)
 *   found = diff(configuration, read)               again with what only effects need, and causes
 *   kept  = keptIn(found)                           what keeps its live value in this run
 *   sent  = diff(keepLive(configuration, kept))     only if something is kept
 *   plan  = createPlan(sent, what waits)            then its effects, its time and its base
 *   parts = checkPlan(divide(plan))                 one for each root file
 *
 * Nothing that comes later is fed back: a first comparison is needed because causes and freeze windows depend on what differs.
 * A mistake of the files that only the live state shows ends it; other errors are printed with the plan.
 */

import { withEffects } from '../access/effects.ts';
import { readForEffects } from '../access/read-effects.ts';
import type { Pass } from '../check/check.ts';
import { checkPlan } from '../check/check-plan.ts';
import { refuseMistakes } from '../check/mistakes.ts';
import { withRecovery } from '../check/organization-facts.ts';
import { readPolicyNames } from '../check/policy-identity.ts';
import { refuseUnknownProjects } from '../check/unknown-ids.ts';
import { comparedWithBase, withCauses } from '../diff/base.ts';
import type { UnfinishedCreations } from '../diff/comparison.ts';
import { type Difference, diff } from '../diff/diff.ts';
import { hasOutside } from '../diff/ownership.ts';
import { atTime, type PlanClock, timeOf, withTime } from '../hold/at-time.ts';
import { keepLive } from '../hold/keep-live.ts';
import { keptIn } from '../hold/kept-in.ts';
import type { LiveSource } from '../live/read-live.ts';
import type { Configuration } from '../model/configuration.ts';
import { addressPatterns } from '../model/declared-selector.ts';
import type { Plan, PlanPurpose } from '../model/plan.ts';
import { createPlan } from '../plan/create-plan.ts';
import { type DividedPlan, divide, withParts } from '../plan/divide.ts';
import { labelsAfter } from '../resolve/labels.ts';
import { liveQueryOf } from '../resolve/live-query-of.ts';
import { resolveNames } from '../resolve/look-up-names.ts';
import { type PlanRequest, selectMatching } from '../resolve/plan-request.ts';

/** The options of a plan. */
export interface MakePlanOptions extends PlanClock {
  /** Reads the live state. It has no methods that write. */
  readonly source: LiveSource;
  /** The service's address as it is shown, or the word `embedded`. */
  readonly address: string;
  /** The addresses to plan, with `*` for any part of one, or selectors such as `tag:canary`. @default [], which plans all */
  readonly only?: readonly string[];
  /** @default 'apply' */
  readonly purpose?: PlanPurpose;
  /**
   * The maximum number of deletes; overrides `limits.deletes` and `limits.delete-percent`. It is infinite if the caller
   * checks the deletes of several plans together.
   */
  readonly maxDeletes?: number | undefined;
  /** The maximum number of revoked grants; overrides `limits.revokes`. */
  readonly maxRevokes?: number | undefined;
  /** The maximum number of updates; overrides `limits.updates` and `limits.update-percent`. */
  readonly maxUpdates?: number | undefined;
}

/**
 * Makes the plan of a configuration: resolves names, reads the live state, compares, plans the calls, and checks the
 * limits. A plan that exceeds them has an error among its diagnostics.
 *
 * @throws {@link DiagnosticsError} if the comparison with the live state finds mistakes in the files.
 * @throws {@link ServiceError} or {@link NetworkError} where a read failed.
 * @example
 * ```ts
 * const plan = await makePlan(configuration, {
 *   source: serviceSource(client),
 *   address,
 *   only: ['workspace.*-prod'],
 * });
 * console.log(plan.summary); // { create: 0, update: 2, delete: 0, unchanged: 0, calls: 2 }
 * ```
 */
export async function makePlan(configuration: Configuration, options: MakePlanOptions): Promise<Plan> {
  const only = addressPatterns(options.only ?? [], configuration);
  const request = { now: new Date(), ...options, selection: selectMatching(only) };
  const { plan } = await planResolved(await resolveNames(atTime(configuration, request), request), request);
  return plan;
}

export interface PlanResolvedOptions extends Omit<MakePlanOptions, 'only'>, PlanRequest {
  /** Reads the creations that the last run did not complete, if a workspace is outside the scope. */
  readonly unfinished?: () => Promise<UnfinishedCreations>;
  /** The plan with `--only-changed` that is made again: nothing else of its addresses is planned. */
  readonly reviewed?: Pick<Plan, 'changes'> | undefined;
  /** Plans only what time alone decides: access that has ended, and fields whose exception has ended. */
  readonly due?: boolean | undefined;
  /** Why freeze windows hold nothing back. @default they do */
  readonly overrideFreeze?: string | undefined;
}

export async function planResolved(
  configuration: Configuration,
  options: PlanResolvedOptions,
): Promise<DividedPlan> {
  const { source, address, selection = {}, purpose = 'apply', due, reviewed } = options;
  const { chosen = () => true } = selection;

  const query = liveQueryOf(configuration, { ...selection, purpose });
  const read = await source.read(query).catch(refuseUnknownProjects({ configuration, source, query }));

  const unfinished = hasOutside(configuration, read) ? await options.unfinished?.() : undefined;
  const compared = { purpose, chosen, unfinished };
  const first = diff(configuration, read, compared);
  const isPart = due || (configuration.base?.onlyChanged ?? reviewed !== undefined);
  if (!isPart) refuseMistakes({ configuration, live: read, difference: first, chosen });
  const { shown } = labelsAfter(configuration, read, first.changes);
  const live = await readForEffects(source, read, { query, changes: first.changes, shown });
  const complete = live === read ? first : diff(configuration, live, compared);
  const found = withCauses(complete, configuration, live);

  const run = {
    configuration,
    live,
    found,
    chosen,
    purpose,
    due,
    reviewed,
    now: timeOf(options),
    overrideFreeze: options.overrideFreeze,
  };
  const kept = keptIn(run);
  const rest = keepLive(run, kept.keeps);
  const again = kept.keeps.length > 0 ? diff(rest.configuration, live, { ...compared, ...rest }) : found;
  const part = withCauses(again, configuration, live);
  refuseMistakes({ ...rest, live, difference: part, beside: { found, kept } });
  // A change that waits keeps its problems; an address that the plan leaves out has none.
  const { diagnostics } = kept.keeps.some(({ hold }) => hold === undefined) ? part : found;
  const { changes, after } = part;
  const difference: Difference = { ...found, changes, after, diagnostics };

  const names = await readPolicyNames(configuration, source, query);
  const calls = createPlan({ configuration, live, difference, waiting: kept, address, now: run.now });
  const made = withEffects(calls, { configuration, live, difference, names });
  const timed = withTime(made, { ...run, kept, difference, isHypothetical: options.at !== undefined });
  const based = { ...timed, ...comparedWithBase(configuration, { live, difference: found, chosen }) };
  const plan = purpose === 'drift' ? based : await withRecovery(based, source);

  const parts = divide(plan, { roots: configuration.roots, found, chosen });
  // What time does not change is left to plans that correct it.
  const sent = new Set(difference.changes.map((change) => change.address));
  const checked = due ? { ...selection, chosen: (address: string) => sent.has(address) } : selection;
  const pass: Pass = {
    ...{ configuration, live, difference, plan, source, query, names },
    chosen: checked.chosen ?? chosen,
    request: { selection: checked, purpose },
    overrides: { deletes: options.maxDeletes, revokes: options.maxRevokes, updates: options.maxUpdates },
  };
  return withParts(plan, await checkPlan(pass, parts));
}
