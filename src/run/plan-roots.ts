import { stillDifferent, unfinishedCreations } from '../apply/journal/former-runs.ts';
import { limitRun } from '../check/limits.ts';
import { conflictsOf } from '../desired/conflicts.ts';
import { joinRoots } from '../desired/join-roots.ts';
import { atTime } from '../hold/at-time.ts';
import { type LiveSource, serviceSource, snapshotSource } from '../live/live-source.ts';
import type { Snapshot } from '../live/snapshot.ts';
import { DiagnosticsError } from '../model/attune-error.ts';
import { type Configuration, rootsOf } from '../model/configuration.ts';
import { addressPatterns, type SelectedFrom } from '../model/declared-selector.ts';
import { type Diagnostic, warning } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import { matchesAddress } from '../model/selector.ts';
import { type ResourceKind, resourcesOf } from '../model/state.ts';
import { groupBy } from '../model/value.ts';
import { divideDiagnostics } from '../plan/divide.ts';
import { readsBindings } from '../resolve/live-query-of.ts';
import { resolveNames, withFormerNames } from '../resolve/look-up-names.ts';
import { looksAtGrants, selectChanged, selectMatching, unmatchedOnly } from '../resolve/plan-request.ts';
import { requireSameService } from '../saved/saved-for.ts';
import { planThatHolds } from '../saved/still-holds.ts';
import { isSameOrganization } from '../service/address.ts';
import type { ServiceClient } from '../service/client.ts';
import { type Failure, failuresOf, OtherRootError, refusalOf } from './all-or-refused.ts';
import { resolveBase } from './base/resolve-base.ts';
import {
  type Connection,
  type Connections,
  fulfilledIn,
  organizationLimit,
  valueOrThrow,
} from './connect.ts';
import { organizationsLabel, type RunContext } from './context.ts';
import { lastRuns } from './files/input-files.ts';
import { type DividedPlan, type PlanResolvedOptions, planResolved, withParts } from './make-plan.ts';
import {
  limitOverrides,
  type SharedPlanOptions,
  sharedPlanOptions,
  withClockWarning,
} from './plan-options.ts';
import { type ConfiguredPlan, rootName } from './report-entry.ts';

/** A plan that needs no connection. */
export interface PlannedOffline extends ConfiguredPlan {
  /** What selectors of `--only` are resolved with. @default the root files of the configuration */
  readonly selectedFrom?: readonly SelectedFrom[];
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

/** Where the live state is read. */
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
export type RootsRequest = {
  /** The organizations of root files that could not be loaded; undefined for one that is unknown. @default none */
  readonly unloaded?: readonly MissingRoot[];
} & (
  | { readonly purpose: 'apply' | 'review' | 'drift' }
  | { readonly purpose: 'replan'; readonly saved: readonly Plan[] }
);

/** A root file that has no plan. */
export interface MissingRoot {
  /** Its path from the working folder. */
  readonly name: string;
  /** Undefined if it is unknown. */
  readonly organization: string | undefined;
}

/** The plans of organizations, and the root files that have none. */
export interface PlannedRoots<Source> {
  readonly planned: readonly (PlannedOffline & Source)[];
  readonly failures: readonly Failure[];
}

/**
 * Plans root files: resolves the names of each, joins those of one organization, and plans it. A root file whose names cannot be
 * resolved fails alone; then nothing of its organization is pruned. What the plans of an apply change is limited together.
 *
 * @throws {DiagnosticsError} if a pattern of `--only` matches nothing.
 */
export async function planRoots<Source extends PlanSource>(
  configurations: readonly Configuration[],
  sourceOf: SourceOf<Source>,
  context: RunContext,
  request: RootsRequest,
): Promise<PlannedRoots<Source>> {
  const { io, progress } = context;
  progress.begin(`${organizationsLabel(configurations.map(({ desired }) => desired.organization))}: reading`);
  const roots = rootsToPlan(configurations, sourceOf, context, request);
  const limit = organizationLimit<LiveSource>();
  const apart = await Promise.allSettled(
    roots.map(async (root) => limit(root.over().source, () => namedRoot(root, roots))),
  );
  const written = roots.map(({ configuration }) => configuration);
  const named = withoutConflicts(besideRenames(written, apart, io.cwd), io.cwd);
  const usable = [...named.keys()].filter((index) => named[index]?.status === 'fulfilled');
  const plans = await Promise.all(
    byOrganization(usable, (index) => written[index] as Configuration).map(async (members) => {
      const [first] = members as [number, ...number[]];
      const own = written[first] as Configuration;
      const left = written.filter((one, index) => !usable.includes(index) && isSameOrganization(one, own));
      const joined = joinNamed(
        members.map((index) => valueOrThrow(named[index])),
        left,
        [...(request.unloaded ?? []), ...left.map((one) => missingRoot(one, context))],
      );
      const { source } = (roots[first] as Root).over();
      const organization = { joined, members: members.map((index) => roots[index] as Root) };
      return limit(source, () => planOrganization(organization, context)).then(
        (plan) => ({ members, joined, plan }),
        (error: unknown) => ({ members, joined, error }),
      );
    }),
  );
  progress.end();

  const outcomes: PromiseSettledResult<unknown>[] = [...named];
  for (const { members, joined, ...outcome } of plans)
    if ('error' in outcome)
      for (const [at, reason] of errorsOf(outcome.error, joined, context).entries())
        outcomes[members[at] as number] = { status: 'rejected', reason };
  const known = named.map(
    (one, index) => (one.status === 'fulfilled' ? one.value : written[index]) as Configuration,
  );
  const made = plans.flatMap(({ members, joined, ...outcome }) =>
    'error' in outcome
      ? []
      : {
          ...sourceOf(members[0] as number),
          ...outcome.plan,
          configuration: joined,
          selectedFrom: members.map((index) => written[index] as Configuration),
        },
  );
  const failures = failuresOf(known, outcomes);
  // A pattern can match what a root file without a plan declares.
  const unmatched =
    failures.length === 0 ? unmatchedOnly(context.options.only ?? [], made, context.named('only')) : [];
  if (unmatched.length > 0) throw new DiagnosticsError(unmatched);
  // A report changes nothing.
  if (request.purpose === 'drift') return { planned: made, failures };
  return { planned: limitParts(made, context), failures };
}

/** The plans with the limits of the command line, which count over the parts of all. */
export function limitParts<Limited extends ConfiguredPlan>(
  planned: readonly Limited[],
  context: RunContext,
): readonly Limited[] {
  const parts = planned.flatMap(({ configuration, parts }) =>
    rootsOf(configuration).map((root, index) => ({ root, plan: parts[index] as Plan })),
  );
  const limited = limitRun(parts, {
    overrides: limitOverrides(context.options),
    rootFile: ({ root }) => rootName(root, context),
  }).map(({ plan }) => plan);
  return planned.map((one) => ({ ...one, ...withParts(one.plan, limited.splice(0, one.parts.length)) }));
}

/** A root file that cannot be planned can declare what looks undeclared, so nothing is pruned. */
function joinNamed(
  named: readonly Configuration[],
  left: readonly Configuration[],
  missing: readonly MissingRoot[],
): Configuration {
  const [first] = named as [Configuration, ...Configuration[]];
  const { organization } = first.desired;
  const isSame = (other: MissingRoot) =>
    other.organization === undefined || other.organization.toLowerCase() === organization.toLowerCase();
  const own = missing.filter(isSame);
  if (own.length === 0) return joinRoots([first, ...named.slice(1)]);
  const kept = named.map((root): Configuration => {
    const { scope, prune, grantProjects, diagnostics } = root;
    const shows = scope !== undefined || prune.teamAccess || grantProjects.size > 0;
    return {
      ...root,
      prune: { workspaces: 'keep', teamAccess: false },
      diagnostics: [...diagnostics, ...(shows ? own.map((one) => rootFileMissing(one, organization)) : [])],
    };
  });
  return joinRoots(kept as [Configuration, ...Configuration[]], left);
}

function missingRoot(configuration: Configuration, context: RunContext): MissingRoot {
  return { name: rootName(configuration, context), organization: configuration.desired.organization };
}

function rootFileMissing({ name }: MissingRoot, organization: string): Diagnostic {
  return warning(
    'root-file-missing',
    `${name} has errors: what it declares for ${organization} can be shown here as undeclared, and nothing is pruned`,
    { hint: `correct ${name}, then run again` },
  );
}

/** Why each root file of an organization has no plan: its own errors, else that another one has errors. */
function errorsOf(error: unknown, joined: Configuration, context: RunContext): readonly unknown[] {
  const roots = rootsOf(joined);
  if (!(error instanceof DiagnosticsError) || roots.length === 1) return roots.map(() => error);
  const errors = divideDiagnostics(error.diagnostics, joined).map((own) =>
    own.some(({ severity }) => severity === 'error') ? new DiagnosticsError(own) : undefined,
  );
  const failing = roots.find((_, index) => errors[index] !== undefined);
  return errors.map((own) => own ?? (failing ? new OtherRootError(rootName(failing, context)) : error));
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

/** The root files as they apply at the time of the run. */
function rootsToPlan(
  configurations: readonly Configuration[],
  sourceOf: SourceOf<PlanSource>,
  context: RunContext,
  request: RootsRequest,
): readonly Root[] {
  const { purpose } = request;
  const shared = sharedPlanOptions(context);
  return configurations.map((written, index) => {
    const configuration = atTime(written, shared);
    const saved = request.purpose === 'replan' ? request.saved[index] : undefined;
    const only = addressPatterns(context.options.only ?? [], configuration);
    const over = () => sourceOf(index);
    return { configuration, only, purpose, shared, context, over, ...(saved && { saved }) };
  });
}

/** Groups root files by their organization, however they write its service. */
function byOrganization<Item>(
  items: readonly Item[],
  configurationOf: (item: Item) => Configuration,
): readonly (readonly Item[])[] {
  const groups: Item[][] = [];
  for (const item of items) {
    const own = configurationOf(item);
    const group = groups.find((one) => one.every((other) => isSameOrganization(configurationOf(other), own)));
    if (group) group.push(item);
    else groups.push([item]);
  }
  return groups;
}

/** Resolves the names that the plan of a root file, or the comparison with the other root files, needs. */
async function namedRoot(root: Root, roots: readonly Root[]): Promise<Configuration> {
  const { saved, purpose, context, over, only, configuration } = root;
  if (saved) checkSameService(saved, root);
  const mates = roots.filter((other) => isSameOrganization(other.configuration, root.configuration));
  const looked = saved ? saved.changes.map(({ address }) => address) : only;
  const { source } = over();
  const selection = saved ? selectChanged([saved], configuration.desired) : selectMatching(only);
  const named = await resolveNames(configuration, {
    source,
    selection,
    purpose,
    also: mates.length > 1 ? [...comparedKinds(root, mates, looked), 'protect'] : [],
    bindings: mates.some((mate) => readsBindings(mate.configuration, selection)),
  });
  return saved ? named : resolveBase(named, { source, selection, named: context.named });
}

/**
 * The kinds whose resources two root files can both declare under other names: the same project, or the same team and
 * project. One can prune a grant that the other declares, too. All names of these kinds are looked up in both.
 */
function comparedKinds(
  { configuration }: Root,
  mates: readonly Root[],
  only: readonly string[],
): readonly ResourceKind[] {
  const all = mates.map((mate) => mate.configuration);
  const others = all.filter((other) => other !== configuration);
  const declared = (kind: ResourceKind, { desired }: Configuration) =>
    resourcesOf(desired.resources.values(), kind).map(({ address }) => address);
  const isLooked = (address: string) =>
    only.length === 0 || only.some((glob) => matchesAddress(glob, address));
  const comparesProjects =
    others.some((other) => declared('project', other).length > 0) &&
    all.some((one) => declared('project', one).some(isLooked));
  const comparesGrants =
    looksAtGrants(only) &&
    others.some((other) => other.prune.teamAccess || declared('team-access', other).length > 0);
  return [
    ...(comparesProjects ? ['project' as const] : []),
    ...(comparesGrants ? ['team-access' as const] : []),
  ];
}

/** @throws {DiagnosticsError} if the saved plan was made for another organization or service. */
function checkSameService(saved: Plan, { configuration, over }: Root): void {
  const { connection } = over();
  if (connection) requireSameService({ what: 'plan', ...saved }, configuration, connection);
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
  const conflicts = conflictsOf(fulfilledIn(named), cwd);
  return named.map((one) => {
    const found = one.status === 'fulfilled' ? conflicts.get(one.value) : undefined;
    if (one.status === 'rejected' || found === undefined) return one;
    return { status: 'rejected', reason: new DiagnosticsError([...one.value.diagnostics, ...found]) };
  });
}

/** The root files of one organization, and what they declare together. */
interface OrganizationRoots {
  readonly joined: Configuration;
  readonly members: readonly Root[];
}

async function planOrganization(
  { joined, members }: OrganizationRoots,
  { io }: RunContext,
): Promise<DividedPlan> {
  const [first] = members as [Root, ...Root[]];
  const { purpose, shared } = first;
  const { connection, ...from } = first.over();
  const roots = rootsOf(joined);
  const declared = new Set(roots.flatMap(({ desired }) => [...desired.resources.keys()]));
  const saved = members.flatMap((member) => member.saved ?? []);
  const only = members.flatMap((member) => member.only);
  const selection = saved.length > 0 ? selectChanged(saved, joined.desired) : selectMatching(only);
  const { chosen = () => true, looksAtAccessOf = () => selection.chosen === undefined } = selection;
  const isLeftOut = (address: string) => joined.desired.resources.has(address) && !declared.has(address);
  const selected =
    declared.size === joined.desired.resources.size
      ? selection
      : { ...selection, looksAtAccessOf, chosen: (one: string) => chosen(one) && !isLeftOut(one) };
  const folders = groupBy(connection ? roots : [], ({ folder }) => folder);
  const runs = async () =>
    (
      await Promise.all([...folders.values()].map(([root]) => lastRuns(root as Configuration, io.cwd)))
    ).flat();
  const planned = planResolved(joined, {
    ...from,
    selection: selected,
    purpose,
    ...(saved.some(({ base }) => base?.onlyChanged) && {
      reviewed: { changes: saved.flatMap(({ changes }) => changes) },
    }),
    unfinished: async () => unfinishedCreations(await runs()),
    ...shared,
  });
  const parts = await Promise.allSettled(
    members.map(async (member, index) => {
      const again = (await planned).parts[index] as Plan;
      const { saved } = member;
      const configuration = roots[index] as Configuration;
      const made =
        saved && connection
          ? await planThatHolds({ saved, again, configuration, source: 'files', reader: connection.client })
          : again;
      const timed = connection && index === 0 ? withClockWarning(made, connection.client) : made;
      const found = timed.changes.length > 0 ? stillDifferent(timed, await runs()) : [];
      return found.length > 0 ? { ...timed, diagnostics: [...timed.diagnostics, ...found] } : timed;
    }),
  );
  const errors = parts.flatMap((part) => (part.status === 'rejected' ? part.reason : []));
  if (errors.length > 1 && errors.every((error) => error instanceof DiagnosticsError))
    throw new DiagnosticsError([...new Set(errors.flatMap(({ diagnostics }) => diagnostics))]);
  const made = parts.map(valueOrThrow);
  const { plan } = await planned;
  const left = new Set(made.flatMap(({ changes }) => changes.map(({ address }) => address)));
  return withParts({ ...plan, changes: plan.changes.filter(({ address }) => left.has(address)) }, made);
}
