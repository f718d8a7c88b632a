import pLimit from 'p-limit';
import type { Configuration } from '../../desired/configuration.ts';
import { serviceSource, snapshotSource } from '../../live/live-source.ts';
import { parseSnapshot } from '../../live/snapshot.ts';
import { counted } from '../../model/counted.ts';
import { hasErrors } from '../../model/diagnostic.ts';
import type { Plan } from '../../model/plan.ts';
import { besideOthers } from '../../plan/beside-others.ts';
import { type MakePlanOptions, makePlan, withNames } from '../../plan/make-plan.ts';
import { unmatchedOnly } from '../../plan/unmatched-only.ts';
import type { ReportEntry } from '../../report/report.ts';
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
  const configurations = await loadAll(roots, session);
  return withConnections(configurations, session, async (connections) => {
    session.progress.begin(`${label(configurations)}: reading`);
    const limit = pLimit(organizationsAtATime);
    const apart = await allOrRefused(configurations, session, (configuration, index) =>
      limit(async () => planOne(configuration, settled(connections[index]), session, options)),
    );
    const planned = besideOthers(apart);
    session.progress.end();
    session.console.diagnostics(unmatchedOnly(session.flags.only ?? [], planned));
    return await use(planned);
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
): Promise<PlannedOffline[]> {
  const { flags, io } = session;
  const snapshot = parseSnapshot(await readFile(file, io.cwd, snapshotFile), file);
  const from = { source: snapshotSource(snapshot), address: snapshot.address };
  const apart = await allOrRefused(await loadAll(roots, session), session, (configuration) =>
    planFrom(from, configuration, session, options),
  );
  const planned = besideOthers(apart);
  session.console.diagnostics(unmatchedOnly(flags.only ?? [], planned));
  return planned;
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

async function planOne(
  configuration: Configuration,
  connection: Connection,
  session: Session,
  options: WithPlansOptions,
): Promise<Planned> {
  const readAt = session.io.clock.now();
  const { client, address, dialect } = connection;
  const from = { source: serviceSource(client), address, ...(dialect && { dialect }) };
  return { ...(await planFrom(from, configuration, session, options)), connection, readAt };
}

async function planFrom(
  from: Pick<MakePlanOptions, 'source' | 'address' | 'dialect'>,
  declared: Configuration,
  { flags }: Session,
  { reportScope }: WithPlansOptions,
): Promise<PlannedOffline> {
  const options: MakePlanOptions = {
    ...from,
    only: flags.only ?? [],
    ...(flags.maxDeletes !== undefined && { maxDeletes: flags.maxDeletes }),
    ...(reportScope && { reportScope }),
  };
  const configuration = await withNames(declared, options);
  return { configuration, plan: await makePlan(configuration, options) };
}

function label(configurations: readonly Configuration[]): string {
  const [only, another] = configurations;
  return only && !another ? only.desired.organization : counted(configurations.length, 'organization');
}
