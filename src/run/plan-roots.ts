import { stillDifferent, unfinishedCreations } from '../apply/journal/former-runs.ts';
import { refuseHeldSchedules } from '../check/held-schedules.ts';
import { guardTogether } from '../check/keep-admin.ts';
import { limitRun } from '../check/limits.ts';
import { withJointGuards } from '../desired/guards.ts';
import { rootConflicts } from '../desired/root-conflicts.ts';
import { type LiveSource, serviceSource, snapshotSource } from '../live/live-source.ts';
import type { Snapshot } from '../live/snapshot.ts';
import { DiagnosticsError } from '../model/attune-error.ts';
import type { Configuration } from '../model/configuration.ts';
import { addressPatterns, type SelectedFrom } from '../model/declared-selector.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import { resolveNames, withFormerNames } from '../resolve/look-up-names.ts';
import { type PlanSelection, selectChanged, selectMatching, unmatchedOnly } from '../resolve/plan-request.ts';
import type { ServiceClient } from '../service/client.ts';
import { type Failure, failuresOf, refusalOf } from './all-or-refused.ts';
import { besideBases, resolveBase } from './base/resolve-base.ts';
import {
  besideOthers,
  type ChangedElsewhere,
  changedElsewhere,
  comparedKinds,
  dependsOnOthers,
} from './beside-others.ts';
import {
  type Connection,
  type Connections,
  fulfilledIn,
  organizationLimit,
  valueOrThrow,
} from './connect.ts';
import { organizationsLabel, type RunContext } from './context.ts';
import { lastRuns } from './files/input-files.ts';
import { atTime, type PlanResolvedOptions, planResolved } from './make-plan.ts';
import {
  limitOverrides,
  type SharedPlanOptions,
  sharedPlanOptions,
  withClockWarning,
} from './plan-options.ts';
import { replan } from './replan.ts';
import { type ConfiguredPlan, rootName } from './report-entry.ts';
import { checkSame, recordWithout } from './saved-settings.ts';

/** A plan that needs no connection. */
export interface PlannedOffline extends ConfiguredPlan {
  /** What selectors of `--only` are resolved with. @default the configuration */
  readonly selectedFrom?: SelectedFrom;
  /** The journal that the plan undoes, as a path from the working folder. */
  readonly undoes?: string;
  /** Whether the plan leaves changes of that journal as they are. */
  readonly undoesPart?: boolean;
  /** The root files that share the journal of an undo. @default the configuration */
  readonly roots?: readonly Configuration[];
}

/** A plan and its connection. */
export interface Planned extends PlannedOffline {
  readonly connection: Connection;
  /** When the live state was read, in milliseconds on the clock of the run. */
  readonly readAt: number;
}

/** Where the live state of a root file is read. */
export interface PlanSource extends Pick<PlanResolvedOptions, 'source' | 'address' | 'dialect'> {
  /** Absent if the live state is that of a snapshot. */
  readonly connection?: Connection;
}

type ConnectedSource = PlanSource & Pick<Planned, 'connection' | 'readAt'>;

/**
 * The source of the root file at an index.
 *
 * @throws {AttuneError} if there is no connection.
 */
export type SourceOf<Source extends PlanSource> = (index: number) => Source;

/** What the plans of root files are for. To plan again, there is one saved plan for each root file. */
export type RootsRequest =
  | { readonly purpose: 'apply' | 'review' | 'drift' }
  | { readonly purpose: 'replan'; readonly saved: readonly Plan[] };

/** What became of each root file. */
export interface PlannedRoots<Source> {
  readonly planned: readonly (PlannedOffline & Source)[];
  readonly failures: readonly Failure[];
}

/**
 * Plans root files: resolves the names of all, compares what they declare, plans each, and checks the plans together.
 * What the plans of an apply change is limited together.
 */
export async function planRoots<Source extends PlanSource>(
  configurations: readonly Configuration[],
  sourceOf: SourceOf<Source>,
  context: RunContext,
  request: RootsRequest,
): Promise<PlannedRoots<Source>> {
  const { options, io, progress } = context;
  progress.begin(`${organizationsLabel(configurations.map(({ desired }) => desired.organization))}: reading`);
  const { purpose } = request;
  const roots = rootsOf(configurations, sourceOf, context, request);
  const joint = roots.map(({ configuration }) => configuration);
  const limit = organizationLimit<LiveSource>();
  const ofEach = <Result>(run: (root: Root, index: number) => Promise<Result>) =>
    Promise.allSettled(roots.map(async (root, index) => limit(root.over().source, () => run(root, index))));

  const apart = await ofEach((root) => namedRoot(root, joint));
  const named = besideBases(withoutConflicts(besideRenames(joint, apart, io.cwd), io.cwd));
  const saved = roots.map((root) => root.saved);
  const first = await ofEach((root, index) =>
    rootPlan(valueOrThrow(named[index]), root, changedBeside(root, roots, saved)),
  );
  const firstPlans = first.map((one) => (one.status === 'fulfilled' ? one.value : undefined));
  // Only a plan shows what it changes.
  const plans = await ofEach(async (root, index) => {
    const [plan, configuration] = [valueOrThrow(first[index]), valueOrThrow(named[index])];
    const elsewhere = changedBeside(root, roots, firstPlans);
    return dependsOnOthers(configuration, plan, elsewhere) ? rootPlan(configuration, root, elsewhere) : plan;
  });
  progress.end();

  const known = roots.map(({ configuration }, index) => {
    const outcome = named[index];
    return outcome?.status === 'fulfilled' ? outcome.value : configuration;
  });
  const failures = failuresOf(known, plans);
  const made = plans.flatMap((outcome, index) =>
    outcome.status === 'fulfilled'
      ? {
          ...sourceOf(index),
          configuration: known[index] as Configuration,
          selectedFrom: (roots[index] as Root).configuration,
          plan: outcome.value,
        }
      : [],
  );
  const unplanned = failures.map(({ configuration }) => configuration);
  // A report changes nothing.
  if (purpose === 'drift') return { planned: besideOthers(made, unplanned), failures };
  const guarded = refuseHeldSchedules(
    besideOthers(await guardTogether(made, ({ source }) => source), unplanned),
  );
  const rootFile = ({ configuration }: PlannedOffline) => rootName(configuration, context);
  return { planned: limitRun(guarded, { overrides: limitOverrides(options), rootFile }), failures };
}

/** What the plans of the other root files change that the plan of a root file may depend on. */
function changedBeside(own: Root, roots: readonly Root[], plans: readonly (Plan | undefined)[]) {
  const others = roots.flatMap((root, index) => {
    const plan = root === own ? undefined : plans[index];
    return plan ? [{ configuration: root.configuration, plan }] : [];
  });
  return changedElsewhere(own.configuration, others);
}

/**
 * The plans of a run that needs all of them.
 *
 * @throws {RefusedError} if a root file has no plan; with the reasons of all.
 */
export function allPlanned(
  { planned, failures }: PlannedRoots<ConnectedSource>,
  context: RunContext,
): readonly Planned[] {
  if (failures.length > 0) throw refusalOf(failures, context, planned.length + failures.length > 1);
  return planned;
}

/** Finds patterns of `--only` that match nothing, unless they can match what a root file without a plan declares. */
export function unmatchedIn(
  { planned, failures }: PlannedRoots<unknown>,
  { options, named }: Pick<RunContext, 'options' | 'named'>,
): readonly Diagnostic[] {
  return failures.length === 0 ? unmatchedOnly(options.only ?? [], planned, { option: named('only') }) : [];
}

/** Root files are planned over their connections. */
export function connectedSources(
  connections: Pick<Connections, 'at'>,
  { io }: RunContext,
  liveOver: (connection: Connection) => LiveSource = sharedSources(),
): SourceOf<ConnectedSource> {
  const readAt = io.clock.now();
  return (index) => {
    const connection = connections.at(index);
    const { address, dialect } = connection;
    return { source: liveOver(connection), address, ...(dialect && { dialect }), connection, readAt };
  };
}

/** Root files that share a client share the names that are looked up over it. */
function sharedSources(): (connection: Connection) => LiveSource {
  const sources = new Map<ServiceClient, LiveSource>();
  return ({ client }) => {
    const source = sources.get(client) ?? serviceSource(client);
    sources.set(client, source);
    return source;
  };
}

/** All root files are planned from a snapshot: without a service and a token. */
export function recordedSources(snapshot: Snapshot): SourceOf<PlanSource> {
  const recorded = { source: snapshotSource(snapshot), address: snapshot.address };
  return () => recorded;
}

/** A root file, and how it is planned. */
interface Root {
  readonly configuration: Configuration;
  /** The addresses that the run is limited to; none for all. */
  readonly only: readonly string[];
  readonly purpose: RootsRequest['purpose'];
  readonly shared: SharedPlanOptions;
  /** The plan whose addresses are planned again. */
  readonly saved?: Plan;
  over(): PlanSource;
  readonly context: RunContext;
}

/** The root files as they apply at the time of the run, with the guards of all. */
function rootsOf(
  configurations: readonly Configuration[],
  sourceOf: SourceOf<PlanSource>,
  context: RunContext,
  request: RootsRequest,
): readonly Root[] {
  const { purpose } = request;
  const shared = sharedPlanOptions(context);
  return withJointGuards(configurations).map((joint, index) => {
    const configuration = atTime(joint, shared);
    const saved = request.purpose === 'replan' ? request.saved[index] : undefined;
    const only = addressPatterns(context.options.only ?? [], configuration);
    const own = { configuration, only, purpose, shared, context };
    return { ...own, over: () => sourceOf(index), ...(saved && { saved }) };
  });
}

/** Resolves the names that the plan of a root file, or the comparison with the other root files, needs. */
async function namedRoot(root: Root, all: readonly Configuration[]): Promise<Configuration> {
  const { saved, purpose, context, over, only, configuration } = root;
  if (saved) checkSameService(saved, root);
  const looked = saved ? saved.changes.map(({ address }) => address) : only;
  const { source } = over();
  const selection = selectionOf(configuration, root);
  const named = await resolveNames(configuration, {
    source,
    selection,
    purpose,
    also: comparedKinds(root.configuration, all, looked),
  });
  return saved ? named : resolveBase(named, { source, selection, named: context.named });
}

/** @throws {DiagnosticsError} if the saved plan was made for another organization or service. */
function checkSameService(saved: Plan, { configuration, over }: Root): void {
  const { connection } = over();
  if (!connection) return;
  checkSame({ what: 'plan', ...saved }, configuration, connection);
  recordWithout(saved, connection);
}

function selectionOf({ desired }: Configuration, { saved, only }: Root): PlanSelection {
  return saved ? selectChanged(saved, desired) : selectMatching(only);
}

/** A root file that refers to a project by a name that another one changes has a warning. */
function besideRenames(
  written: readonly Configuration[],
  named: readonly PromiseSettledResult<Configuration>[],
  cwd: string,
): readonly PromiseSettledResult<Configuration>[] {
  const roots = named.flatMap((one, index) =>
    one.status === 'fulfilled' ? { written: written[index] as Configuration, resolved: one.value } : [],
  );
  const noted = [...withFormerNames(roots, cwd)];
  return named.map((one) =>
    one.status === 'fulfilled' ? { status: one.status, value: noted.shift() ?? one.value } : one,
  );
}

/** Root files that declare the same have no plan. */
function withoutConflicts(
  named: readonly PromiseSettledResult<Configuration>[],
  cwd: string,
): readonly PromiseSettledResult<Configuration>[] {
  const conflicts = rootConflicts(fulfilledIn(named), cwd);
  return named.map((one) => {
    const found = one.status === 'fulfilled' ? conflicts.get(one.value) : undefined;
    if (one.status === 'rejected' || found === undefined) return one;
    return { status: 'rejected', reason: new DiagnosticsError([...one.value.diagnostics, ...found]) };
  });
}

async function rootPlan(
  configuration: Configuration,
  root: Root,
  { deleted, rescheduled }: ChangedElsewhere,
): Promise<Plan> {
  const { saved, purpose, over, context, shared } = root;
  const { connection, ...from } = over();
  const runs = () => (connection ? lastRuns(configuration, context.io.cwd) : []);
  const plan = () =>
    planResolved(configuration, {
      ...from,
      selection: selectionOf(configuration, root),
      purpose,
      ...(saved?.base?.onlyChanged && { reviewed: saved }),
      unfinished: async () => unfinishedCreations(await runs()),
      deletedElsewhere: new Set(deleted.keys()),
      rescheduledElsewhere: rescheduled,
      ...shared,
    });
  const made =
    saved && connection
      ? await replan({ saved, source: 'files', client: connection.client, configuration, plan })
      : await plan();
  const timed = connection ? withClockWarning(made, connection.client) : made;
  const found = timed.changes.length > 0 ? stillDifferent(timed, await runs()) : [];
  return found.length > 0 ? { ...timed, diagnostics: [...timed.diagnostics, ...found] } : timed;
}
