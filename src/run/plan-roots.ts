/*
 * Plans root files, those of one organization together.
 *
 *   each root file      at the time of the run -> names to ids -> its base
 *   all of them         declarations that contradict each other
 *   each organization   joined -> planned (make-plan.ts) -> divided
 *   each root file      its saved plan still holds
 *   the first one       a run that was killed
 *   all of them         the limits of the command line
 *
 * A root file that fails has no plan and does not stop those of other organizations. What it declares can look undeclared to
 * the others of its organization, so these prune nothing.
 */

import pLimit from 'p-limit';
import { unendedRuns, unfinishedCreations } from '../apply/journal/parse-journal.ts';
import { conflictsOf } from '../desired/conflicts.ts';
import { joinRoots } from '../desired/join-roots.ts';
import { atTime } from '../hold/at-time.ts';
import { type Configuration, rootsOf } from '../model/configuration.ts';
import { addressPatterns, type SelectedFrom } from '../model/declared-selector.ts';
import { DiagnosticsError, hasErrors, problem, warning } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import { canMatchKind } from '../model/state.ts';
import { type DividedPlan, divideDiagnostics, withParts } from '../plan/divide.ts';
import type { ReportEntry } from '../report/report.ts';
import { readsBindings } from '../resolve/live-query-of.ts';
import { resolveNames } from '../resolve/look-up-names.ts';
import { selectChanged, selectMatching } from '../resolve/plan-request.ts';
import { requireSameService } from '../saved/saved-for.ts';
import { planThatHolds } from '../saved/still-holds.ts';
import { isSameOrganization } from '../service/address.ts';
import { resolveBase } from './base/with-base.ts';
import {
  type ConnectedSource,
  organizationsAtATime,
  type PlanSource,
  type SourceOf,
  valueOrThrow,
} from './connect.ts';
import { organizationsLabel, type RunContext } from './context.ts';
import { lastRuns } from './files/input-files.ts';
import { planResolved } from './make-plan.ts';
import { limitParts, type SharedPlanOptions, sharedPlanOptions, withUndeclared } from './plan-options.ts';
import { type ConfiguredPlan, type Failure, refusalOf, rootEntry, rootName } from './report-entry.ts';

export interface PlannedOffline extends ConfiguredPlan {
  /** What selectors of `--only` are resolved with. @default the root files of the configuration */
  readonly selectedFrom?: readonly SelectedFrom[];
  readonly undoes?: string;
  /** Whether the plan leaves changes of that journal as they are. */
  readonly undoesPart?: boolean;
  /** The root files that share the journal of an undo. @default the configuration */
  readonly roots?: readonly Configuration[];
}

export interface Planned extends PlannedOffline, Pick<ConnectedSource, 'connection' | 'readAt'> {}

interface RootsRequest {
  readonly purpose: 'apply' | 'review' | 'drift' | 'replan';
  readonly saved?: readonly Plan[] | undefined;
  /** The root files of the run that have no configuration. */
  readonly unloaded?: readonly ReportEntry[] | undefined;
}

interface PlannedRoots<Source> {
  readonly planned: readonly (PlannedOffline & Source)[];
  readonly failures: readonly Failure[];
}

interface Root {
  readonly index: number;
  readonly written: Configuration;
  readonly only: readonly string[];
  /** The plan whose addresses are planned again. */
  readonly saved: Plan | undefined;
  named?: Configuration;
  error?: unknown;
}

interface Run {
  readonly context: RunContext;
  readonly request: RootsRequest;
  readonly sourceOf: SourceOf<PlanSource>;
  readonly shared: SharedPlanOptions;
  readonly limit: ReturnType<typeof pLimit>;
}

export async function planRoots<Source extends PlanSource>(
  configurations: readonly Configuration[],
  sourceOf: SourceOf<Source>,
  context: RunContext,
  request: RootsRequest,
): Promise<PlannedRoots<Source>> {
  const { progress, options } = context;
  progress.begin(`${organizationsLabel(configurations.map(({ desired }) => desired.organization))}: reading`);
  const shared = sharedPlanOptions(context);
  const limit = pLimit(organizationsAtATime);
  const run = { context, request, sourceOf, shared, limit };
  const roots = configurations.map((one, index): Root => {
    const written = atTime(one, shared);
    const only = addressPatterns(options.only ?? [], written);
    return { index, written, only, saved: request.saved?.[index] };
  });
  await resolveRoots(roots, run);
  const usable = roots.filter(({ error }) => error === undefined);
  const planned = await Promise.all(
    byOrganization(usable).map(async (members): Promise<readonly (PlannedOffline & Source)[]> => {
      const [first] = members as [Root, ...Root[]];
      const joined = joinNamed(members, roots, run);
      try {
        const plan = await limit(() => planOrganization(joined, members, run));
        const selectedFrom = members.map(({ written }) => written);
        return [{ ...sourceOf(first.index), ...plan, configuration: joined, selectedFrom }];
      } catch (error) {
        const reasons = errorsOf(error, joined, context);
        for (const [at, root] of members.entries()) root.error = reasons[at];
        return [];
      }
    }),
  );
  progress.end();
  const made = planned.flat();
  const failures = roots.flatMap(({ error, named, written }): Failure[] =>
    error === undefined ? [] : [{ error, configuration: named ?? written }],
  );
  // A pattern can match what a root file without a plan declares.
  const noted = failures.length === 0 ? await withUndeclared(made, context) : made;
  // A report changes nothing.
  if (request.purpose === 'drift') return { planned: noted, failures };
  return { planned: limitParts(noted, context, (root) => rootName(root, context)), failures };
}

async function resolveRoots(roots: readonly Root[], run: Run): Promise<void> {
  const { cwd } = run.context.io;
  await Promise.all(
    roots.map(async (root) => {
      try {
        root.named = await run.limit(() => namedRoot(root, roots, run));
      } catch (error) {
        root.error = error;
      }
    }),
  );
  const known = roots.flatMap(({ named }) => named ?? []);
  const conflicts = conflictsOf(known, cwd);
  for (const root of roots) {
    const { named } = root;
    const own = named && conflicts.get(named);
    if (own) root.error = new DiagnosticsError([...named.diagnostics, ...own]);
  }
}

/** A root file that cannot be planned can declare what looks undeclared, so nothing is pruned. */
function joinNamed(
  members: readonly Root[],
  roots: readonly Root[],
  { context, request: { unloaded = [] } }: Run,
): Configuration {
  const named = members.map((root) => root.named) as [Configuration, ...Configuration[]];
  const { organization } = named[0].desired;
  const left = new Map(
    roots
      .filter(({ error, written }) => error !== undefined && isSameOrganization(written, named[0]))
      .map(({ written }) => [rootName(written, context), written]),
  );
  const isSame = (other = organization) => other.toLowerCase() === organization.toLowerCase();
  const missing = [
    ...unloaded.filter((one) => isSame(one.organization)).map(({ source = '' }) => source),
    ...left.keys(),
  ];
  const { cwd } = context.io;
  if (missing.length === 0) return joinRoots(named, undefined, cwd);
  const warnings = missing.map((name) =>
    warning(
      'root-file-missing',
      `${name} has errors: what it declares for ${organization} can be shown here as undeclared, and nothing is pruned`,
      { hint: `correct ${name}, then run again` },
    ),
  );
  const kept = named.map((root): Configuration => {
    const { scope, prune, grantProjects, diagnostics } = root;
    const shows = scope !== undefined || prune.teamAccess || grantProjects.size > 0;
    return {
      ...root,
      prune: { workspaces: 'keep', teamAccess: false },
      diagnostics: shows ? [...diagnostics, ...warnings] : diagnostics,
    };
  });
  return joinRoots(kept as [Configuration, ...Configuration[]], left, cwd);
}

/** Why each root file of an organization has no plan: its own errors, else those of another one. */
function errorsOf(error: unknown, joined: Configuration, context: RunContext): readonly unknown[] {
  const roots = rootsOf(joined);
  if (!(error instanceof DiagnosticsError) || roots.length === 1) return roots.map(() => error);
  const parts = divideDiagnostics(error.diagnostics, roots);
  const failing = parts.findIndex(hasErrors);
  const name = rootName(roots[failing] ?? joined, context);
  const reason = parts[failing]?.find(({ severity }) => severity === 'error');
  const isStale = reason?.code === 'plan-differs';
  const hint = isStale || reason?.code === 'root-file-missing' ? reason.hint : `correct ${name}`;
  const why = isStale
    ? `the plan is not applied: that of ${name} differs`
    : `there is no plan: ${name} has errors`;
  const other = problem('root-file-missing', why, { hint });
  // The warnings of one root file can explain the errors of another one, such as a workspace that was renamed.
  return parts.map((own) => new DiagnosticsError(hasErrors(own) ? own : [...own, other]));
}

export function allPlanned(
  { planned, failures }: PlannedRoots<ConnectedSource>,
  context: RunContext,
): readonly Planned[] {
  if (failures.length === 0) return planned;
  const others = planned.flatMap(({ configuration }) => rootsOf(configuration));
  const unplanned = others.map((root) => rootEntry(root, context));
  throw refusalOf(failures, context, unplanned);
}

function byOrganization(roots: readonly Root[]): readonly (readonly Root[])[] {
  const groups: Root[][] = [];
  for (const root of roots) {
    const group = groups.find((one) => one.every(({ written }) => isSameOrganization(written, root.written)));
    if (group) group.push(root);
    else groups.push([root]);
  }
  return groups;
}

async function namedRoot(root: Root, roots: readonly Root[], run: Run): Promise<Configuration> {
  const { written, saved, only } = root;
  const { request, sourceOf } = run;
  const { source, connection } = sourceOf(root.index);
  if (saved && connection) requireSameService({ what: 'plan', ...saved }, written, connection);
  const mates = roots.map((other) => other.written).filter((other) => isSameOrganization(other, written));
  const looked = saved ? saved.changes.map(({ address }) => address) : only;
  const selection = saved ? selectChanged([saved], written.desired) : selectMatching(only);
  // Two root files can declare one project, or one grant, under different names, and one can prune what the other declares.
  const compared = (['project', 'team-access'] as const).filter(
    (kind) => looked.length === 0 || looked.some((glob) => canMatchKind(glob, kind)),
  );
  const named = await resolveNames(written, {
    source,
    selection,
    purpose: request.purpose,
    also: mates.length > 1 ? [...compared, 'protect'] : [],
    bindings: mates.some((mate) => readsBindings(mate, selection)),
  });
  return saved ? named : resolveBase(named, source, selection);
}

async function planOrganization(
  joined: Configuration,
  members: readonly Root[],
  { context, request, sourceOf, shared }: Run,
): Promise<DividedPlan> {
  const [first] = members as [Root, ...Root[]];
  const { connection, ...from } = sourceOf(first.index);
  const roots = rootsOf(joined);
  const saved = members.flatMap((member) => member.saved ?? []);
  const only = members.flatMap((member) => member.only);
  const selection = saved.length > 0 ? selectChanged(saved, joined.desired) : selectMatching(only);
  const { chosen = () => true, looksAtAccessOf = () => selection.chosen === undefined } = selection;
  const { leftOut } = joined;
  const selected = leftOut?.size
    ? { ...selection, looksAtAccessOf, chosen: (one: string) => chosen(one) && !leftOut.has(one) }
    : selection;
  const byFolder = new Map((connection ? roots : []).map((root) => [root.folder, root]));
  const runs = async () => {
    const read = [...byFolder.values()].map((root) => lastRuns(root, context.io.cwd));
    return (await Promise.all(read)).flat();
  };
  const planned = planResolved(joined, {
    ...from,
    selection: selected,
    purpose: request.purpose,
    ...(saved.some(({ base }) => base?.onlyChanged) && {
      reviewed: { changes: saved.flatMap(({ changes }) => changes) },
    }),
    unfinished: async () => unfinishedCreations(await runs()),
    ...shared,
  });
  const parts = await Promise.allSettled(
    members.map(async (member, index) => {
      const { plan, parts } = await planned;
      const again = parts[index] as Plan;
      const { saved } = member;
      const configuration = roots[index] as Configuration;
      const made =
        saved && connection
          ? await planThatHolds({ saved, again, configuration, source: 'files', reader: connection.client })
          : again;
      // What is about the run is in its first plan.
      if (index > 0 || connection === undefined) return made;
      const found = plan.changes.length > 0 ? unendedRuns(await runs()) : [];
      return found.length > 0 ? { ...made, diagnostics: [...made.diagnostics, ...found] } : made;
    }),
  );
  const errors = parts.flatMap((part) => (part.status === 'rejected' ? part.reason : []));
  if (errors.length > 1 && errors.every((error) => error instanceof DiagnosticsError))
    throw new DiagnosticsError([...new Set(errors.flatMap(({ diagnostics }) => diagnostics))]);
  const made = parts.map(valueOrThrow);
  const { plan } = await planned;
  // Those of a saved plan have the causes that were reviewed.
  const left = new Map(made.flatMap(({ changes }) => changes.map((change) => [change.address, change])));
  return withParts(
    { ...plan, changes: plan.changes.flatMap(({ address }) => left.get(address) ?? []) },
    made,
  );
}
