import { relative } from 'node:path';
import { stillDifferent } from '../apply/journal/still-different.ts';
import { unfinishedCreations } from '../apply/journal/unfinished-creations.ts';
import type { Configuration } from '../desired/configuration.ts';
import { withJointGuards } from '../desired/joint-guards.ts';
import { rootConflicts } from '../desired/root-conflicts.ts';
import { type LiveSource, readingNamesOnce, serviceSource, snapshotSource } from '../live/live-source.ts';
import type { Snapshot } from '../live/snapshot.ts';
import { DiagnosticsError } from '../model/attune-error.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { slashed } from '../model/files.ts';
import type { Plan } from '../model/plan.ts';
import { besideOthers, comparedKinds } from '../plan/beside-others.ts';
import { guardTogether } from '../plan/guard-roots.ts';
import { limitRun } from '../plan/limits.ts';
import { withFormerNames } from '../plan/look-up-names.ts';
import { type MakePlanOptions, planResolved, withNames } from '../plan/make-plan.ts';
import { unmatchedOnly } from '../plan/unmatched-only.ts';
import type { ReportEntry } from '../report/report.ts';
import type { ServiceClient } from '../service/client.ts';
import { type Failure, failedEntries, failuresOf, refusalOf } from './all-or-refused.ts';
import { type Connection, type Connections, valueOrThrow } from './connect.ts';
import type { RunContext } from './context.ts';
import { organizationsLabel } from './context.ts';
import { RefusedError } from './errors.ts';
import { lastRuns } from './last-runs.ts';
import { limitOverrides, limitsOfRun } from './limit-flags.ts';
import { limitGarbage } from './limit-garbage.ts';
import type { WorkingConfigurations } from './load.ts';
import { organizationLimit } from './organization-limit.ts';
import { planAgain } from './plan-again.ts';
import { withAliasesOf } from './saved-names.ts';
import { checkSame, recordWithout } from './saved-settings.ts';

/** A plan and its configuration. */
export interface PlannedOffline {
  readonly configuration: Configuration;
  readonly plan: Plan;
  /** The journal that the plan undoes, as a path from the working folder. */
  readonly undoes?: string;
}

/** A plan and its connection. */
export interface Planned extends PlannedOffline {
  readonly connection: Connection;
  /** When the live state was read, in milliseconds on the clock of the run. */
  readonly readAt: number;
}

export interface PlanRootsOptions {
  /** Reads the scope in full even if nothing is pruned. */
  readonly reportScope?: boolean;
  /** A pattern of `--only` that matches nothing is an error instead of a warning. */
  readonly requireOnly?: boolean;
  /** Plans the addresses of these saved plans again, one for each configuration, and compares. */
  readonly saved?: readonly Plan[];
  /** The source of the live state behind a connection. @default the service, with the names that it shares */
  readonly sourceOf?: (connection: Connection) => LiveSource;
}

/** The root files of a run that have a plan, and the report entries of the others. */
export interface PlannedWorking {
  readonly planned: readonly PlannedOffline[];
  readonly failed: readonly ReportEntry[];
}

/**
 * Plans the configurations of a run over their connections.
 *
 * @throws {RefusedError} if some of them have no plan; with the reasons of all.
 */
export async function planRoots(
  configurations: readonly Configuration[],
  connections: Pick<Connections, 'at'>,
  context: RunContext,
  options: PlanRootsOptions = {},
): Promise<readonly Planned[]> {
  const readAt = context.io.clock.now();
  const outcome = await planOver(configurations, connections, context, options);
  const { failures } = outcome;
  if (failures.length > 0) throw refusalOf(failures, context, configurations.length > 1);
  const planned = checkTogether(outcome, context, options);
  return planned.map((one, index) => ({ ...one, connection: connections.at(index), readAt }));
}

/**
 * Plans the configurations of a run that only reports.
 *
 * @throws {RefusedError} if none of them has a plan; with the reasons of all.
 */
export async function planWorking(
  { configurations, failed }: WorkingConfigurations,
  connections: Pick<Connections, 'at'>,
  context: RunContext,
  options: Pick<PlanRootsOptions, 'reportScope'> = {},
): Promise<PlannedWorking> {
  const outcome = await planOver(configurations, connections, context, options);
  return workingOf(outcome, { configurations, failed }, context, options);
}

async function planOver(
  configurations: readonly Configuration[],
  connections: Pick<Connections, 'at'>,
  context: RunContext,
  options: PlanRootsOptions,
): Promise<Outcome> {
  context.progress.begin(
    `${organizationsLabel(configurations.map(({ desired }) => desired.organization))}: reading`,
  );
  const sourceOf = options.sourceOf ?? sharedSources();
  const inputs = configurations.map((configuration, index): PlanInput => {
    const saved = options.saved?.[index];
    return {
      configuration,
      isPresent: true,
      over: () => {
        const connection = connections.at(index);
        const { address, dialect } = connection;
        return { source: sourceOf(connection), address, ...(dialect && { dialect }) };
      },
      ...(saved && { saved: { plan: saved, connection: () => connections.at(index) } }),
    };
  });
  const outcome = await planAll(inputs, context, options);
  context.progress.end();
  return outcome;
}

/**
 * Plans the configurations of a run from a snapshot: without a service and a token.
 *
 * @throws {RefusedError} if the snapshot holds what none of them needs.
 */
export async function planOffline(
  loaded: WorkingConfigurations,
  snapshot: Snapshot,
  context: RunContext,
  options: Pick<PlanRootsOptions, 'reportScope'> = {},
): Promise<PlannedWorking> {
  const from = { source: snapshotSource(snapshot), address: snapshot.address };
  const inputs = loaded.configurations.map((configuration) => ({
    configuration,
    isPresent: false,
    over: () => from,
  }));
  return workingOf(await planAll(inputs, context, options), loaded, context, options);
}

/** @throws {DiagnosticsError} if a pattern of `--only` matches nothing. */
export function requireMatches(
  only: readonly string[] | undefined,
  planned: readonly PlannedOffline[],
): void {
  const unmatched = unmatchedOnly(only ?? [], planned, 'error');
  if (unmatched.length > 0) throw new DiagnosticsError(unmatched);
}

interface PlanInput {
  readonly configuration: Configuration;
  /** @throws {AttuneError} if there is no connection. */
  over(): Pick<MakePlanOptions, 'source' | 'address' | 'dialect'>;
  /** Whether the live state is read now, so that it is newer than the last journal. */
  readonly isPresent: boolean;
  readonly saved?: { readonly plan: Plan; connection(): Connection };
}

/** What became of each root file. */
interface Outcome {
  readonly planned: readonly PlannedOffline[];
  readonly failures: readonly Failure[];
}

/** Resolves the names of all roots, compares what the roots declare, and plans each. */
async function planAll(
  apart: readonly PlanInput[],
  context: RunContext,
  options: PlanRootsOptions,
): Promise<Outcome> {
  const joint = withJointGuards(apart.map(({ configuration }) => configuration));
  const inputs = apart.map((input, index) => ({ ...input, configuration: joint[index] as Configuration }));
  const named = besideRenames(inputs, await resolveAll(inputs, context, options), context);
  const resolved = withoutConflicts(named, context);
  const outcomes = await planEach(inputs, resolved, context, options);
  const known = inputs.map(({ configuration }, index) => {
    const outcome = resolved[index];
    return outcome?.status === 'fulfilled' ? outcome.value : configuration;
  });
  const sources = new Map(
    outcomes.flatMap((outcome, index) =>
      outcome.status === 'fulfilled' ? [[outcome.value, inputs[index]?.over().source] as const] : [],
    ),
  );
  const planned = [...sources.keys()];
  return {
    // A report changes nothing.
    planned: options.reportScope
      ? planned
      : await guardTogether(planned, (one) => sources.get(one) as LiveSource),
    failures: failuresOf(known, outcomes),
  };
}

/** @throws {RefusedError} if no root file has a plan. */
function workingOf(
  outcome: Outcome,
  { configurations, failed }: WorkingConfigurations,
  context: RunContext,
  options: PlanRootsOptions,
): PlannedWorking {
  const { planned, failures } = outcome;
  if (planned.length === 0 && failures.length > 0) {
    const { entries } = refusalOf(failures, context, configurations.length + failed.length > 1);
    throw new RefusedError([...failed, ...entries]);
  }
  return {
    planned: checkTogether(outcome, context, options).map((one) => besideUnloaded(one, failed)),
    failed: [...failed, ...failedEntries(failures, context)],
  };
}

/** Resources that an invalid root file declares look undeclared to the others of its organization. */
function besideUnloaded(one: PlannedOffline, failed: readonly ReportEntry[]): PlannedOffline {
  const { configuration, plan } = one;
  const { desired, scope, prune } = configuration;
  if (scope === undefined && !prune.teamAccess) return one;
  const name = desired.organization.toLowerCase();
  const warnings = failed
    .filter(({ organization }) => organization === undefined || organization.toLowerCase() === name)
    .map(
      ({ source = '' }): Diagnostic => ({
        severity: 'warning',
        code: 'root-file-missing',
        message: `${source} has errors: what it declares for ${desired.organization} can be shown here as undeclared or deleted`,
        hint: `correct ${source}, then run again`,
      }),
    );
  return { ...one, plan: { ...plan, diagnostics: [...plan.diagnostics, ...warnings] } };
}

/** A root whose names cannot be resolved is reported with the others, after their plans are made. */
function resolveAll(
  inputs: readonly PlanInput[],
  { options: { only } }: RunContext,
  { reportScope }: PlanRootsOptions,
): Promise<readonly PromiseSettledResult<Configuration>[]> {
  const limit = organizationLimit<LiveSource>();
  const configurations = inputs.map(({ configuration }) => configuration);
  const resolve = async (input: PlanInput) => {
    const configuration = await savedConfiguration(input);
    const addresses = addressesOf(input);
    return withNames(configuration, {
      ...(only && { only }),
      ...(reportScope && { reportScope }),
      ...(addresses && { addresses }),
      source: input.over().source,
      compared: comparedKinds(input.configuration, configurations, addresses ? [...addresses] : only),
    });
  };
  return Promise.allSettled(inputs.map(async (input) => limit(input.over().source, () => resolve(input))));
}

/** With the ids of the aliases that the saved plan shows. */
async function savedConfiguration({ configuration, saved }: PlanInput): Promise<Configuration> {
  if (!saved) return configuration;
  const connection = saved.connection();
  checkSame({ what: 'plan', ...saved.plan }, configuration, connection);
  recordWithout(saved.plan, connection);
  return withAliasesOf(saved.plan, configuration, connection.client);
}

function addressesOf({ saved }: PlanInput): ReadonlySet<string> | undefined {
  return saved && new Set(saved.plan.changes.map(({ address }) => address));
}

/** A root file that refers to a project by a name that another one changes has a warning. */
function besideRenames(
  inputs: readonly PlanInput[],
  resolved: readonly PromiseSettledResult<Configuration>[],
  { io }: RunContext,
): readonly PromiseSettledResult<Configuration>[] {
  const roots = resolved.flatMap((one, index) => {
    const { configuration: written } = inputs[index] as PlanInput;
    return one.status === 'fulfilled' ? [{ written, resolved: one.value }] : [];
  });
  const named = [...withFormerNames(roots, io.cwd)];
  return resolved.map((one) =>
    one.status === 'fulfilled' ? { status: one.status, value: named.shift() ?? one.value } : one,
  );
}

/** Root files that declare the same have no plan. */
function withoutConflicts(
  resolved: readonly PromiseSettledResult<Configuration>[],
  context: RunContext,
): readonly PromiseSettledResult<Configuration>[] {
  const fulfilled = resolved.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const conflicts = rootConflicts(fulfilled, context.io.cwd);
  return resolved.map((one) => {
    const found = one.status === 'fulfilled' ? conflicts.get(one.value) : undefined;
    if (one.status === 'rejected' || found === undefined) return one;
    return { status: 'rejected', reason: new DiagnosticsError([...one.value.diagnostics, ...found]) };
  });
}

function planEach(
  inputs: readonly PlanInput[],
  resolved: readonly PromiseSettledResult<Configuration>[],
  context: RunContext,
  { reportScope }: PlanRootsOptions,
): Promise<readonly PromiseSettledResult<PlannedOffline>[]> {
  const { only } = context.options;
  const limit = organizationLimit<LiveSource>();
  const planOne = async (input: PlanInput, configuration: Configuration) => {
    const addresses = addressesOf(input);
    const runs = () => (input.isPresent ? lastRuns(configuration, input.over().address, context.io.cwd) : []);
    const explained = async (made: Plan) => {
      const found = made.changes.length > 0 ? stillDifferent(made, await runs()) : [];
      return found.length > 0 ? { ...made, diagnostics: [...made.diagnostics, ...found] } : made;
    };
    const plan = () =>
      planResolved(configuration, {
        unfinished: async () => unfinishedCreations(await runs()),
        ...(only && { only }),
        ...(reportScope && { reportScope }),
        ...(addresses && { addresses }),
        ...input.over(),
        ...limitsOfRun(context.options),
      });
    const { saved } = input;
    if (!saved) {
      const planned = await plan();
      // Most of the live state is read when the first plan is made.
      limitGarbage(context, inputs.length, 'planning');
      return { configuration, plan: await explained(planned) };
    }
    const { client } = saved.connection();
    const again = await planAgain({ saved: saved.plan, source: 'files', client, configuration, plan });
    return { configuration, plan: await explained(again) };
  };
  return Promise.allSettled(
    inputs.map(async (input, index) =>
      limit(input.over().source, () => planOne(input, valueOrThrow(resolved[index]))),
    ),
  );
}

/** What the roots change is limited together, unless the run only reports. */
function checkTogether(
  { planned: apart, failures }: Outcome,
  { options, io, console }: RunContext,
  { reportScope, requireOnly }: PlanRootsOptions,
): readonly PlannedOffline[] {
  const { only } = options;
  const rootFile = ({ configuration }: PlannedOffline) => slashed(relative(io.cwd, configuration.file));
  const together = besideOthers(
    apart,
    failures.map(({ configuration }) => configuration),
  );
  const planned = reportScope
    ? together
    : limitRun(together, { overrides: limitOverrides(options), rootFile });
  if (requireOnly) requireMatches(only, planned);
  // A pattern can match what a root file without a plan declares.
  else if (failures.length === 0) console.diagnostics(unmatchedOnly(only ?? [], planned));
  return planned;
}

/** Root files that share a client share the names that are looked up over it. */
function sharedSources(): (connection: Connection) => LiveSource {
  const sources = new Map<ServiceClient, LiveSource>();
  return ({ client }) => {
    const source = sources.get(client) ?? readingNamesOnce(serviceSource(client));
    sources.set(client, source);
    return source;
  };
}
