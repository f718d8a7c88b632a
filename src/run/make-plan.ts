import { withEffects } from '../access/effects.ts';
import { readAffected } from '../access/read-affected.ts';
import { readMoveAccess } from '../access/read-move-access.ts';
import type { Pass } from '../check/check.ts';
import { checkPlan } from '../check/check-plan.ts';
import { missingFeatures } from '../check/missing-features.ts';
import { withRecovery } from '../check/organization-facts.ts';
import { readPolicyNames } from '../check/policy-identity.ts';
import { unknownIds } from '../check/unknown-ids.ts';
import { withCauses } from '../diff/base/causes.ts';
import { comparedWithBase } from '../diff/base/compared-with-base.ts';
import type { UnfinishedCreations } from '../diff/comparison.ts';
import { type Difference, type DiffOptions, diff } from '../diff/diff.ts';
import { accessNotes, withEndedAccess } from '../hold/access-ends.ts';
import { checkExceptionDays } from '../hold/exceptions.ts';
import { nextFreezes } from '../hold/freeze.ts';
import { causeAmong, type FilterInput, type Kept, keepLive } from '../hold/keep-live.ts';
import { keptIn, windowsOf } from '../hold/kept-in.ts';
import { withPruneOf } from '../hold/only-changed.ts';
import type { LiveQuery } from '../live/live-query.ts';
import type { LiveSource } from '../live/live-source.ts';
import type { Live } from '../live/read-live.ts';
import { DiagnosticsError } from '../model/attune-error.ts';
import { type Configuration, ofEachRoot, rootsOf, shownAs } from '../model/configuration.ts';
import { addressPatterns } from '../model/declared-selector.ts';
import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import type { Plan, PlanPurpose } from '../model/plan.ts';
import { printTime } from '../model/time.ts';
import { createPlan } from '../plan/create-plan.ts';
import { divide } from '../plan/divide.ts';
import { liveQueryOf } from '../resolve/live-query-of.ts';
import { resolveNames } from '../resolve/look-up-names.ts';
import { type PlanRequest, selectMatching } from '../resolve/plan-request.ts';
import { namesLikeUnknown } from '../resolve/similar-names.ts';
import { isNotFound } from '../service/service-error.ts';

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
  const { plan } = await planResolved(await resolveNames(atTime(configuration, request), request), request);
  return plan;
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
export interface PlanResolvedOptions extends Omit<MakePlanOptions, 'only'>, PlanRequest {
  /** Reads the creations that the last run did not complete. Only a workspace outside the scope needs them. */
  readonly unfinished?: () => Promise<UnfinishedCreations>;
  /** The plan with `--only-changed` that is made again: nothing else of its addresses is planned. */
  readonly reviewed?: Pick<Plan, 'changes'>;
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

/** The plan of an organization. */
export interface DividedPlan {
  readonly plan: Plan;
  /** One for each root file, with what was found about it. */
  readonly parts: readonly Plan[];
}

/** A plan with these parts. */
export function withParts(plan: Plan, parts: readonly Plan[]): DividedPlan {
  const [only, ...others] = parts;
  if (only && others.length === 0) return { plan: only, parts };
  const policies = parts.flatMap((part) => part.policies ?? []);
  const diagnostics = parts.flatMap((part) => part.diagnostics);
  return { plan: { ...plan, diagnostics, ...(policies.length > 0 && { policies }) }, parts };
}

/** Makes the plan of a configuration whose names {@link resolveNames} resolved, or of several that are joined. */
export async function planResolved(
  resolved: Configuration,
  options: PlanResolvedOptions,
): Promise<DividedPlan> {
  const { source, dialect, address, selection = {}, purpose = 'apply' } = options;
  const { chosen = () => true } = selection;
  const query = liveQueryOf(resolved, { ...selection, purpose });
  const read = await source
    .read(dialect ? { ...query, dialect } : query)
    .catch((error: unknown) => unreadableProjects(error, { configuration: resolved, source, query }));
  // If the whole scope is read for another reason, the projects of the scope need their ids.
  const named = read.scopeWhole
    ? await ofRoots(resolved, (root) => resolveNames(root, { ...options, also: ['scope'] }))
    : resolved;
  const configuration = withPruneOf(named);
  const { live, found, difference, kept } = await compare(configuration, read, { ...options, query });
  const names = await readPolicyNames(configuration, source, query);
  const now = timeOf(options);
  const calls = createPlan({ configuration, live, difference, waiting: kept, address });
  const made = withEffects(calls, { configuration, live, difference, names });
  const timed = withTime(made, { configuration, live, difference, kept, chosen, now, options });
  const planned = { ...timed, ...comparedWithBase(configuration, { live, difference: found, chosen }) };
  const plan = purpose === 'drift' ? planned : await withRecovery(planned, source);
  const pass: Pass = {
    ...{ configuration, live, difference, plan, source, query, names, chosen },
    request: { selection, purpose },
    overrides: { deletes: options.maxDeletes, revokes: options.maxRevokes, updates: options.maxUpdates },
  };
  const parts = divide(plan, { configuration, owners: found.owners, chosen });
  return withParts(plan, await checkPlan(pass, parts));
}

/** A configuration whose root files are replaced. */
async function ofRoots(
  configuration: Configuration,
  replace: (root: Configuration) => Promise<Configuration>,
): Promise<Configuration> {
  const [first, ...others] = await Promise.all(rootsOf(configuration).map(replace));
  return configuration.roots
    ? { ...configuration, roots: [first as Configuration, ...others] }
    : (first as Configuration);
}

interface Compared {
  readonly live: Live;
  /** Everything that differs. */
  readonly found: Difference;
  /** What is sent: without what keeps its live value. */
  readonly difference: Difference;
  readonly kept: Kept;
}

/**
 * Compares everything, finds what keeps its live value in this run, and compares the rest. If nothing is kept, one
 * comparison is enough, unless its changes have effects that were not read.
 *
 * @throws {DiagnosticsError} if the comparison finds mistakes in the files.
 */
async function compare(
  configuration: Configuration,
  read: Live,
  options: PlanResolvedOptions & { readonly query: LiveQuery },
): Promise<Compared> {
  const { source, query, selection = {}, purpose = 'apply', overrideFreeze, reviewed } = options;
  const { chosen = () => true } = selection;
  const given: DiffOptions = { purpose, chosen };
  const first = diff(configuration, read, given);
  const leavesOut = configuration.base?.onlyChanged ?? reviewed !== undefined;
  const isOutside = first.diagnostics.some(({ code }) => code === 'outside-scope');
  const unfinished = isOutside ? await options.unfinished?.() : undefined;
  if (!leavesOut && !unfinished?.size)
    await refuse({ configuration, live: read, difference: first, given, source });
  const shown = (project: string) => shownAs(configuration, 'projects', project);
  const { organization } = configuration.desired;
  const moving = await readMoveAccess(source, read, { organization, changes: first.changes, shown });
  const live = await readAffected(source, moving, { query, changes: first.changes, shown });
  const withCause = (one: Difference) => ({ ...one, changes: withCauses(one.changes, configuration, live) });
  const found = withCause(first);
  const input = {
    ...{ configuration, live, found, chosen, purpose, now: timeOf(options) },
    overridesFreeze: overrideFreeze !== undefined,
    ...(reviewed && { reviewed }),
  };
  const kept = keptIn(input);
  const isKept = kept.held.size + kept.leftOut.size > 0;
  if (!isKept && live === read && !unfinished?.size) return { live, found, difference: found, kept };
  const rest = keepLive(input, kept);
  const again = { ...given, ...rest, ...(unfinished && { unfinished }) };
  const sent = withReasons(withCause(diff(rest.configuration, live, again)), first, kept);
  await refuse({ live, difference: sent, source, given: again, ...rest });
  // What waits is found all the same.
  const described = leavesOut || !isKept ? sent : found;
  const unchanged = described.unchanged + (leavesOut ? countUnchanged(kept, found) : 0);
  const { changes, after } = sent;
  const { owners } = found;
  return { live, found, difference: { ...described, changes, after, unchanged, owners }, kept };
}

/** The number of resources that are left out as a whole and exist. */
function countUnchanged({ leftOut }: Kept, { changes }: Difference): number {
  const created = new Set(changes.flatMap(({ address, action }) => (action === 'create' ? address : [])));
  return [...leftOut].filter(([address, part]) => part === 'all' && !created.has(address)).length;
}

interface Checked {
  readonly configuration: Configuration;
  readonly live: Live;
  readonly difference: Difference;
  readonly given: DiffOptions;
  readonly source: LiveSource;
}

/** @throws {DiagnosticsError} if the comparison finds mistakes in the files. */
async function refuse({ configuration, live, difference, given, source }: Checked): Promise<void> {
  const { diagnostics, changes } = difference;
  const { chosen = () => true } = given;
  const missing = missingFeatures(configuration, live, { chosen, changes });
  if (![...diagnostics, ...missing].some(isMistake)) return;
  const isUnknown = diagnostics.some(({ code }) => code === 'unknown-name');
  const otherNames = isUnknown ? await namesLikeUnknown(configuration, live, source) : undefined;
  const hinted = otherNames ? diff(configuration, live, { ...given, otherNames }).diagnostics : diagnostics;
  throw new DiagnosticsError([...configuration.diagnostics, ...live.diagnostics, ...hinted, ...missing]);
}

function isMistake(one: Diagnostic): boolean {
  return hasErrors([one]) && !shownWithPlan.has(one.code);
}

/** What is sent, with the reason of each mistake that only exists because something keeps its live value. */
function withReasons(sent: Difference, found: Difference, { held }: Kept): Difference {
  const isFound = (one: Diagnostic) =>
    found.diagnostics.some(({ code, address }) => code === one.code && address === one.address);
  const diagnostics = sent.diagnostics.map((one): Diagnostic => {
    if (!isMistake(one) || isFound(one) || one.code === 'needs-left-out') return one;
    const cause = causeAmong(held, new Set([one.address ?? '']));
    if (cause === undefined)
      return {
        ...one,
        message: `${one.message}, because --only-changed leaves out what the base declares as well`,
        hint: 'plan without --only-changed',
      };
    const { address, hold } = cause;
    return {
      ...one,
      message: `${one.message}, because ${address} is held until ${hold.until} (${hold.reason})`,
    };
  });
  return { ...sent, diagnostics };
}

/** The plan with what its time decides: the next freeze windows, ends of access, and the time itself. */
function withTime(
  plan: Plan,
  {
    configuration,
    live,
    difference,
    kept,
    chosen,
    now,
    options,
  }: Pick<FilterInput, 'configuration' | 'live' | 'chosen' | 'now'> & {
    readonly difference: Difference;
    readonly kept: Kept;
    readonly options: PlanResolvedOptions;
  },
): Plan {
  const { overrideFreeze, at, purpose = 'apply' } = options;
  const windows = windowsOf({ configuration, purpose, overridesFreeze: overrideFreeze !== undefined });
  const next = nextFreezes(windows, { now, live, found: difference });
  const changes = plan.changes.map((change) => {
    const nextFreeze = next.get(change.address);
    return nextFreeze ? { ...change, nextFreeze } : change;
  });
  const notes = accessNotes(configuration, { changes, now, chosen, leftOut: kept.leftOut });
  const tooLong = ofEachRoot(configuration, ({ holds, limits }) =>
    checkExceptionDays(holds?.exceptions ?? [], limits, now),
  );
  const isAsked = configuration.policies?.some(({ on, fields }) => on === 'plan' && fields.includes('now'));
  const isShown = isAsked || kept.isDated || notes.length + tooLong.length > 0 || at !== undefined;
  return {
    ...plan,
    changes,
    ...(isShown && { at: printTime(now) }),
    ...(at && { hypothetical: true }),
    ...(overrideFreeze !== undefined && { freezeOverridden: overrideFreeze }),
    diagnostics: [...plan.diagnostics, ...kept.diagnostics, ...notes, ...tooLong],
  };
}

/**
 * A read that finds nothing can mean that the id of a project, whose team access it asks for, belongs to nothing.
 *
 * @throws {DiagnosticsError} if so; else the error of the read, also if the projects cannot be listed.
 */
async function unreadableProjects(
  error: unknown,
  { configuration, source, query }: Pick<Pass, 'configuration' | 'source' | 'query'>,
): Promise<never> {
  if (!isNotFound(error)) throw error;
  const used = query.projects.map((id) => ({ kind: 'projects', id }) as const);
  const { bindings = false } = query;
  const unknown = await unknownIds(used, { configuration, source, bindings }).catch(() => []);
  if (unknown.length === 0) throw error;
  throw new DiagnosticsError([...configuration.diagnostics, ...unknown]);
}
