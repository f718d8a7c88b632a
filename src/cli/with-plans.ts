import type { Configuration } from '../desired/configuration.ts';
import { serviceSource, snapshotSource } from '../live/live-source.ts';
import { parseSnapshot } from '../live/snapshot.ts';
import { hasErrors } from '../model/diagnostic.ts';
import { DiagnosticsError } from '../model/diagnostics-error.ts';
import type { Plan } from '../model/plan.ts';
import { makePlan } from '../plan/make-plan.ts';
import { unmatchedOnly } from '../plan/unmatched-only.ts';
import type { Report, ReportEntry } from '../report/report.ts';
import { type Connection, connect } from './connect.ts';
import { errorDiagnostics } from './console.ts';
import { entryOf } from './emit.ts';
import { loadRoots } from './load-roots.ts';
import { readFile } from './read-file.ts';
import { RefusedError } from './refused-error.ts';
import type { Session } from './session.ts';

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
  readonly kind: Report['kind'];
}

/**
 * Loads the root files, makes a plan for each organization and hands them on. Connections are closed afterwards,
 * whatever happens.
 *
 * @returns the exit code of `use`
 * @throws {RefusedError} where the files have errors, or some organization has no plan.
 */
export async function withPlans(
  roots: readonly string[],
  session: Session,
  options: WithPlansOptions,
  use: (planned: readonly Planned[]) => Promise<number> | number,
): Promise<number> {
  const configurations = await loadAll(roots, session);
  const connections: Connection[] = [];
  const planned: Planned[] = [];
  try {
    for (const configuration of configurations) {
      try {
        const connection = await connect(configuration, { ...session, observe: session.progress.observe });
        connections.push(connection);
        planned.push(await planOne(configuration, connection, session, options));
      } catch (error) {
        throw new RefusedError([failedEntry(error, configuration, session)]);
      }
    }
    session.console.diagnostics(unmatchedOnly(session.flags.only ?? [], planned));
    return await use(planned);
  } finally {
    session.progress.end();
    for (const connection of connections) await connection.close();
  }
}

/** Why an organization has no plan. */
function failedEntry(
  error: unknown,
  { diagnostics, folder, desired }: Configuration,
  session: Session,
): ReportEntry {
  // What is wrong with the plan comes with the warnings of the files already.
  const beside = error instanceof DiagnosticsError ? [] : diagnostics;
  return entryOf(session, folder, {
    organization: desired.organization,
    diagnostics: [...beside, ...errorDiagnostics(error)],
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
  { reportScope }: WithPlansOptions,
): Promise<PlannedOffline[]> {
  const { flags, io } = session;
  const snapshot = parseSnapshot(await readFile(file, io.cwd, snapshotFile), file);
  const configurations = await loadAll(roots, session);
  const planned = await Promise.all(
    configurations.map(async (configuration) => ({
      configuration,
      plan: await makePlan(configuration, {
        source: snapshotSource(snapshot),
        address: snapshot.address,
        only: flags.only ?? [],
        ...(flags.maxDeletes !== undefined && { maxDeletes: flags.maxDeletes }),
        ...(reportScope && { reportScope }),
      }).catch((error: unknown) => {
        throw new RefusedError([failedEntry(error, configuration, session)]);
      }),
    })),
  );
  session.console.diagnostics(unmatchedOnly(flags.only ?? [], planned));
  return planned;
}

const snapshotFile = { code: 'bad-snapshot', hint: 'give a file that `attune snapshot --out` made' };

/** @throws {RefusedError} with the mistakes of all files. */
export async function loadAll(roots: readonly string[], session: Session): Promise<readonly Configuration[]> {
  const loaded = await loadRoots(roots, session);
  if (!hasErrors(loaded.diagnostics)) return loaded.configurations;
  throw new RefusedError(
    loaded.roots.map(({ folder, diagnostics }) => entryOf(session, folder, { diagnostics })),
  );
}

async function planOne(
  configuration: Configuration,
  connection: Connection,
  { flags, io, progress }: Session,
  { reportScope }: WithPlansOptions,
): Promise<Planned> {
  const readAt = io.clock.now();
  progress.begin(`${configuration.desired.organization}: reading`);
  const plan = await makePlan(configuration, {
    source: serviceSource(connection.client),
    address: connection.address,
    only: flags.only ?? [],
    ...(connection.dialect && { dialect: connection.dialect }),
    ...(flags.maxDeletes !== undefined && { maxDeletes: flags.maxDeletes }),
    ...(reportScope && { reportScope }),
  });
  progress.end();
  return { configuration, connection, plan, readAt };
}
