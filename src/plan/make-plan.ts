import { type Configuration, shownAs } from '../desired/configuration.ts';
import { addressPatterns } from '../desired/declared-selector.ts';
import { withCauses } from '../diff/base/causes.ts';
import { onlyChanged } from '../diff/base/only-changed.ts';
import type { UnfinishedCreations } from '../diff/comparison.ts';
import { type Difference, type DiffOptions, diff } from '../diff/diff.ts';
import type { LiveSource } from '../live/live-source.ts';
import type { Live } from '../live/read-live.ts';
import { DiagnosticsError } from '../model/attune-error.ts';
import { hasErrors } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import type { Plan, PlanPurpose } from '../model/plan.ts';
import { printTime } from '../model/time.ts';
import { isNotFound } from '../service/service-error.ts';
import { type CheckedPlan, checkPlan } from './check-plan.ts';
import { checkPolicies } from './check-policies.ts';
import { comparedWithBase } from './compared-with-base.ts';
import { accessNotes, withEndedAccess } from './holds/access-ends.ts';
import { checkExceptionDays } from './holds/exceptions.ts';
import { type HeldPlanInput, planHeld } from './holds/plan-held.ts';
import { liveQueryOf } from './live-query-of.ts';
import { resolveNames } from './look-up-names.ts';
import { missingFeatures } from './missing-features.ts';
import { checkVisibility, withRecovery } from './organization-facts.ts';
import { type PlanRequest, selectMatching } from './plan-request.ts';
import { readPolicyNames } from './policy-identity.ts';
import { readAffected } from './read-affected.ts';
import { readMoveAccess } from './read-move-access.ts';
import { namesLikeUnknown } from './similar-names.ts';
import { unknownIds } from './unknown-ids.ts';

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
  /** Where it is known without asking. */
  readonly dialect?: Dialect;
  /**
   * The maximum number of deletes; overrides `limits.deletes` and `limits.delete-percent`. It is infinite if the caller
   * checks the deletes of several plans together.
   */
  readonly maxDeletes?: number;
  /** The maximum number of revoked grants; overrides `limits.revokes`. */
  readonly maxRevokes?: number;
  /** The maximum number of updates; overrides `limits.updates` and `limits.update-percent`. */
  readonly maxUpdates?: number;
}

/** Codes of errors that leave the plan complete: it is printed with them, and not applied. */
const shownWithPlan: ReadonlySet<string> = new Set(['differs-in-case']);

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
  return planResolved(await resolveNames(atTime(configuration, request), request), request);
}

/** The configuration and its base as they apply at the time of a plan. They are taken before names are resolved. */
export function atTime(configuration: Configuration, clock: PlanClock): Configuration {
  const now = timeOf(clock);
  const ended = withEndedAccess(configuration, now);
  const { base } = ended;
  if (base === undefined) return ended;
  const { loaded, declared } = base;
  return {
    ...ended,
    base: {
      ...base,
      ...(loaded && { loaded: withEndedAccess(loaded, now) }),
      ...(declared && { declared: withEndedAccess(declared, now) }),
    },
  };
}

/** The options of a plan with resolved names. */
export interface PlanResolvedOptions
  extends Omit<MakePlanOptions, 'only'>,
    PlanRequest,
    Pick<DiffOptions, 'deletedElsewhere' | 'rescheduledElsewhere'> {
  /** Reads the creations that the last run did not complete. Only a workspace outside the scope needs them. */
  readonly unfinished?: () => Promise<UnfinishedCreations>;
  /** Why freeze windows hold nothing back. @default they do */
  readonly overrideFreeze?: string;
}

/** The clock of a plan. */
export interface PlanClock {
  /** The present time. @default that of the system */
  readonly now?: Date;
  /** Another time than the present one: the plan shows what it will be then, and is never applied. */
  readonly at?: Date;
}

function timeOf({ at, now = new Date() }: PlanClock): number {
  return (at ?? now).getTime();
}

/** The plan with what its time decides: holds, ends of access, and the time itself. */
function planAtTime(
  configuration: Configuration,
  difference: Difference,
  input: PlanResolvedOptions &
    Pick<HeldPlanInput, 'live' | 'chosen' | 'compare' | 'declared' | 'names' | 'purpose'>,
): { readonly plan: Plan; readonly sent: Difference } {
  const { overrideFreeze, at } = input;
  const now = timeOf(input);
  const { plan, sent, isDated } = planHeld({
    ...input,
    ...{ configuration, difference, now },
    overridesFreeze: overrideFreeze !== undefined,
  });
  const notes = accessNotes(configuration, { changes: plan.changes, now, chosen: input.chosen });
  const tooLong = checkExceptionDays(configuration.holds?.exceptions ?? [], configuration.limits, now);
  const isAsked = configuration.policies?.some(({ on, fields }) => on === 'plan' && fields.includes('now'));
  const isShown = isAsked || isDated || notes.length + tooLong.length > 0 || at !== undefined;
  return {
    plan: {
      ...plan,
      ...(isShown && { at: printTime(now) }),
      ...(at && { hypothetical: true }),
      ...(overrideFreeze !== undefined && { freezeOverridden: overrideFreeze }),
      diagnostics: [...plan.diagnostics, ...notes, ...tooLong],
    },
    sent,
  };
}

/** Makes the plan of a configuration whose names {@link resolveNames} resolved. */
export async function planResolved(resolved: Configuration, options: PlanResolvedOptions): Promise<Plan> {
  const { source, dialect, selection = {}, purpose = 'apply' } = options;
  const { chosen = () => true } = selection;
  const managed = onlyChanged(resolved);
  const query = liveQueryOf(managed, { ...selection, purpose });
  const read = await source
    .read(dialect ? { ...query, dialect } : query)
    .catch((error: unknown) => unreadableProjects(error, { configuration: managed, source, query }));
  // If the whole scope is read for another reason, the projects of the scope need their ids.
  const configuration = read.scopeWhole
    ? await resolveNames(managed, { ...options, also: ['scope'] })
    : managed;
  const { found, compare } = await firstComparison(configuration, read, options);
  const shown = (project: string) => shownAs(configuration, 'projects', project);
  const { organization } = configuration.desired;
  const moving = await readMoveAccess(source, read, { organization, changes: found.changes, shown });
  const live = await readAffected(source, moving, { query, changes: found.changes, shown });
  const final = live === read ? found : compare(configuration, live, { chosen });
  // What is unmanaged in this run is declared all the same.
  const declared = { ...configuration, desired: resolved.desired };
  const withCause = (one: Difference) => ({ ...one, changes: withCauses(one.changes, declared, live) });
  const whole = withCause(final);
  const names = await readPolicyNames(configuration, source, query);
  const timed = planAtTime(configuration, whole, {
    ...options,
    ...{ live, chosen, declared, names, purpose },
    compare: (rest, part) => withCause(compare(rest, live, part)),
  });
  const difference = timed.sent;
  const planned = {
    ...timed.plan,
    ...comparedWithBase(declared, { live, difference: whole, chosen }),
  };
  const created = purpose === 'drift' ? planned : await withRecovery(planned, source);
  const doubts = await checkVisibility({ configuration, live, difference, source, chosen });
  const plan = await checkPolicies(
    { ...created, diagnostics: [...created.diagnostics, ...doubts] },
    configuration.policies ?? [],
    { configuration, live, difference, chosen, names },
  );

  // A drift report changes nothing, so limits and guards are not checked.
  if (purpose === 'drift') return plan;
  const checks = await checkPlan({
    ...{ configuration, live, difference, plan, source, query },
    // Lists that were read for the effects of moves replace no check of the projects.
    projects: read.projects,
    request: { selection, purpose },
    overrides: { deletes: options.maxDeletes, revokes: options.maxRevokes, updates: options.maxUpdates },
  });
  return { ...plan, diagnostics: [...plan.diagnostics, ...checks] };
}

interface FirstComparison {
  readonly found: Difference;
  /** Compares again, with what the first comparison needed to know. */
  readonly compare: (configuration: Configuration, live: Live, options: DiffOptions) => Difference;
}

/** @throws {DiagnosticsError} if the comparison finds mistakes in the files. */
async function firstComparison(
  configuration: Configuration,
  read: Live,
  options: PlanResolvedOptions,
): Promise<FirstComparison> {
  const { source, selection = {}, purpose = 'apply' } = options;
  const { deletedElsewhere, rescheduledElsewhere } = options;
  const { chosen = () => true } = selection;
  const given = {
    purpose,
    ...(deletedElsewhere && { deletedElsewhere }),
    ...(rescheduledElsewhere && { rescheduledElsewhere }),
  };
  const compared = diff(configuration, read, { ...given, chosen });
  const finds = (problem: string) => compared.diagnostics.some(({ code }) => code === problem);
  const unfinished = finds('outside-scope') ? await options.unfinished?.() : undefined;
  const otherNames = finds('unknown-workspace')
    ? await namesLikeUnknown(configuration, read, source)
    : undefined;
  const known = { ...given, ...(unfinished && { unfinished }), ...(otherNames && { otherNames }) };
  const compare: FirstComparison['compare'] = (one, live, part) => diff(one, live, { ...known, ...part });
  const found = unfinished || otherNames ? compare(configuration, read, { chosen }) : compared;
  const problems = [
    ...found.diagnostics,
    ...missingFeatures(configuration, read, { chosen, changes: found.changes }),
  ];
  if (hasErrors(problems.filter(({ code }) => !shownWithPlan.has(code))))
    throw new DiagnosticsError([...configuration.diagnostics, ...read.diagnostics, ...problems]);
  return { found, compare };
}

/**
 * A read that finds nothing can mean that the id of a project, whose team access it asks for, belongs to nothing.
 *
 * @throws {DiagnosticsError} if so; else the error of the read, also if the projects cannot be listed.
 */
async function unreadableProjects(
  error: unknown,
  { configuration, source, query }: Pick<CheckedPlan, 'configuration' | 'source' | 'query'>,
): Promise<never> {
  if (!isNotFound(error)) throw error;
  const used = query.projects.map((id) => ({ kind: 'projects', id }) as const);
  const { bindings = false } = query;
  const unknown = await unknownIds(used, { configuration, source, bindings }).catch(() => []);
  if (unknown.length === 0) throw error;
  throw new DiagnosticsError([...configuration.diagnostics, ...unknown]);
}
