import { relative } from 'node:path';
import pLimit from 'p-limit';
import type { Configuration } from '../../desired/configuration.ts';
import { rootConflicts } from '../../desired/root-conflicts.ts';
import { type LiveSource, readingNamesOnce, serviceSource, snapshotSource } from '../../live/live-source.ts';
import { parseSnapshot } from '../../live/snapshot.ts';
import { DiagnosticsError } from '../../model/attune-error.ts';
import { hasErrors } from '../../model/diagnostic.ts';
import { slashed } from '../../model/files.ts';
import type { Plan } from '../../model/plan.ts';
import { counted } from '../../model/text.ts';
import { besideOthers, comparesGrants } from '../../plan/beside-others.ts';
import { limitRun } from '../../plan/limits.ts';
import { type MakePlanOptions, planResolved, withNames } from '../../plan/make-plan.ts';
import { unmatchedOnly } from '../../plan/unmatched-only.ts';
import type { ReportEntry } from '../../report/report.ts';
import type { ServiceClient } from '../../service/client.ts';
import { readFile } from '../files/read-file.ts';
import { entryOf } from '../session/emit.ts';
import { RefusedError } from '../session/refused-error.ts';
import type { Session } from '../session/session.ts';
import { allOrRefused, settled } from './all-or-refused.ts';
import type { Connection } from './connect.ts';
import { loadRoots } from './load-roots.ts';
import { withConnections } from './with-connection.ts';

/** A plan, and what it is for. */
export interface PlannedOffline {
  readonly configuration: Configuration;
  readonly plan: Plan;
}

/** A plan, and the connection that it was made over, still open. */
export interface Planned extends PlannedOffline {
  readonly connection: Connection;
  /** When the live state was read, on the clock of the run. */
  readonly readAt: number;
}

export interface WithPlansOptions {
  /** Reads the scope in full even where nothing is pruned. */
  readonly reportScope?: boolean;
  /** Plans what saved plans show, and nothing else. */
  readonly saved?: SavedRun;
  /** A pattern of `--only` that matches nothing is an error instead of a warning. */
  readonly requireOnly?: boolean;
}

/** How a run plans again what saved plans show. */
export interface SavedRun {
  /** Picks the configurations of the saved plans from those that the files hold. */
  pick(loaded: readonly Configuration[]): readonly Configuration[];
  /** The saved plan at an index. */
  at(index: number, connection: Connection): SavedPlanning;
}

export interface SavedPlanning {
  readonly addresses: ReadonlySet<string>;
  /** Looks up what the saved plan shows by name. */
  named(configuration: Configuration): Promise<Configuration>;
  /** Makes the plan with `plan`, and compares it with the saved one. */
  compared(configuration: Configuration, plan: () => Promise<Plan>): Promise<Plan>;
}

/** More at a time would only wait for one another: each sends as many requests side by side as it may. */
const organizationsAtATime = 8;

/**
 * Loads the root files, makes a plan for each organization, side by side, and hands them on. Connections are closed
 * afterwards, whatever happens.
 *
 * @returns the exit code of `use`
 * @throws {RefusedError} where the files have errors, or some organization has no plan; with the reasons of all.
 */
export async function withPlans(
  roots: readonly string[],
  session: Session,
  use: (planned: readonly Planned[]) => Promise<number> | number,
  options: WithPlansOptions = {},
): Promise<number> {
  const loaded = await loadAll(roots, session);
  const { saved } = options;
  const configurations = saved?.pick(loaded) ?? loaded;
  return withConnections(configurations, session, async (connections) => {
    session.progress.begin(`${label(configurations)}: reading`);
    const sourceOf = sharedSources();
    const planned = await planAll(configurations, session, {
      ...(options.reportScope && { reportScope: true }),
      ...(options.requireOnly && { requireOnly: true }),
      ...(saved && { saved: (index) => saved.at(index, settled(connections[index])) }),
      over: (index) => {
        const { client, address, dialect } = settled(connections[index]);
        return { source: sourceOf(client), address, ...(dialect && { dialect }) };
      },
    });
    session.progress.end();
    return await use(planned.map((one, index) => ({ ...one, connection: settled(connections[index]) })));
  });
}

/**
 * The same from a snapshot: no service is asked and no token needed.
 *
 * @throws {RefusedError} where the files have errors, or the snapshot does not hold what they need.
 */
export async function plansFromSnapshot(
  file: string,
  roots: readonly string[],
  session: Session,
  options: WithPlansOptions = {},
): Promise<readonly PlannedOffline[]> {
  const { io } = session;
  const snapshot = parseSnapshot(await readFile(file, io.cwd, snapshotFile), file);
  const from = { source: snapshotSource(snapshot), address: snapshot.address };
  const { reportScope } = options;
  return planAll(await loadAll(roots, session), session, {
    ...(reportScope && { reportScope }),
    over: () => from,
  });
}

const snapshotFile = { code: 'bad-snapshot', hint: 'give a file that `attune snapshot --out` made' };

/** What plans have to say, for a report. */
export function planEntries(planned: readonly PlannedOffline[], session: Session): ReportEntry[] {
  return planned.map(({ configuration, plan }) =>
    entryOf(session, configuration.folder, { plan, diagnostics: plan.diagnostics }),
  );
}

/** @throws {RefusedError} with the mistakes of all files. */
export async function loadAll(roots: readonly string[], session: Session): Promise<readonly Configuration[]> {
  const loaded = await loadRoots(roots, session);
  if (!hasErrors(loaded.diagnostics)) return loaded.configurations;
  throw new RefusedError(
    loaded.roots.map(({ folder, diagnostics }) => entryOf(session, folder, { diagnostics })),
  );
}

type Over = Pick<MakePlanOptions, 'source' | 'address' | 'dialect'>;

interface PlanAllOptions {
  readonly reportScope?: boolean;
  readonly requireOnly?: boolean;
  /** The saved plan of the configuration at an index. */
  readonly saved?: (index: number) => SavedPlanning;
  /** Throws where there is no connection. */
  readonly over: (index: number) => Over;
}

/**
 * Plans all configurations, side by side: first it looks names up, then it compares what the root files of one
 * organization declare, and after the plans what each of them deletes.
 */
async function planAll(
  configurations: readonly Configuration[],
  session: Session,
  { over, reportScope, requireOnly, saved }: PlanAllOptions,
): Promise<readonly (PlannedOffline & { readonly readAt: number })[]> {
  const { only, maxDeletes } = session.flags;
  const readAt = session.io.clock.now();
  const looked = { ...(only && { only }), ...(reportScope && { reportScope }) };
  const limit = pLimit(organizationsAtATime);
  const named = await Promise.allSettled(
    configurations.map((configuration, index) =>
      limit(async () => {
        const planning = saved?.(index);
        const addresses = planning?.addresses;
        return withNames((await planning?.named(configuration)) ?? configuration, {
          ...looked,
          ...(addresses && { addresses }),
          source: over(index).source,
          comparesGrants: comparesGrants(configuration, configurations, addresses ? [...addresses] : only),
        });
      }),
    ),
  );
  refuseConflicts(
    named.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    session,
  );
  const apart = await allOrRefused(configurations, session, (_, index) =>
    limit(async () => {
      const configuration = settled(named[index]);
      const planning = saved?.(index);
      const options = {
        ...looked,
        ...(planning && { addresses: planning.addresses }),
        ...over(index),
        ...(maxDeletes !== undefined && { maxDeletes: 'any' as const }),
      };
      const plan = () => planResolved(configuration, options);
      return {
        configuration,
        plan: planning ? await planning.compared(configuration, plan) : await plan(),
        readAt,
      };
    }),
  );
  const rootFile = ({ configuration }: PlannedOffline) =>
    slashed(relative(session.io.cwd, configuration.file));
  const planned = reportScope ? besideOthers(apart) : limitRun(besideOthers(apart), { maxDeletes, rootFile });
  if (requireOnly) requireMatches(only, planned);
  else session.console.diagnostics(unmatchedOnly(only ?? [], planned));
  return planned;
}

/** @throws {DiagnosticsError} if a pattern of `--only` matches nothing. */
export function requireMatches(
  only: readonly string[] | undefined,
  planned: readonly PlannedOffline[],
): void {
  const unmatched = unmatchedOnly(only ?? [], planned, 'error');
  if (unmatched.length > 0) throw new DiagnosticsError(unmatched);
}

/** @throws {RefusedError} where two root files declare the same. */
function refuseConflicts(configurations: readonly Configuration[], session: Session): void {
  const conflicts = rootConflicts(configurations, session.io.cwd);
  if (conflicts.size === 0) return;
  throw new RefusedError(
    [...conflicts].map(([{ folder, desired, diagnostics }, found]) =>
      entryOf(session, folder, {
        organization: desired.organization,
        diagnostics: [...diagnostics, ...found],
      }),
    ),
  );
}

/** Root files that share a client share the names that are looked up over it. */
function sharedSources(): (client: ServiceClient) => LiveSource {
  const sources = new Map<ServiceClient, LiveSource>();
  return (client) => {
    const source = sources.get(client) ?? readingNamesOnce(serviceSource(client));
    sources.set(client, source);
    return source;
  };
}

function label(configurations: readonly Configuration[]): string {
  const [only, another] = configurations;
  return only && !another ? only.desired.organization : counted(configurations.length, 'organization');
}
