import type { Configuration } from '../desired/configuration.ts';
import { loadConfig } from '../desired/load-config.ts';
import { hasErrors } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import type { Report } from '../report/report.ts';
import { type Connection, connect } from './connect.ts';
import { errorDiagnostics } from './console.ts';
import { entryOf, refuse } from './emit.ts';
import { makePlan } from './make-plan.ts';
import type { Session } from './session.ts';

/** A plan, and the connection that it was made over, still open. */
export interface Planned {
  readonly configuration: Configuration;
  readonly connection: Connection;
  readonly plan: Plan;
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
 * @returns the exit code of `use`; or 1 where some organization has no plan, after the reasons have been printed.
 */
export async function withPlans(
  roots: readonly string[],
  session: Session,
  options: WithPlansOptions,
  use: (planned: readonly Planned[]) => Promise<number> | number,
): Promise<number> {
  const { io } = session;
  const loaded = await loadConfig(roots.length > 0 ? roots : ['attune.yaml'], { cwd: io.cwd });
  if (hasErrors(loaded.diagnostics)) {
    const broken = loaded.roots.map(({ folder, diagnostics }) => entryOf(session, folder, { diagnostics }));
    return refuse(session, options.kind, broken);
  }

  const connections: Connection[] = [];
  const planned: Planned[] = [];
  try {
    for (const configuration of loaded.configurations) {
      try {
        const connection = await connect(configuration, { ...session, observe: session.progress.observe });
        connections.push(connection);
        planned.push(await planOne(configuration, connection, session, options));
      } catch (error) {
        const diagnostics = errorDiagnostics(error);
        const code = await refuse(session, options.kind, [
          entryOf(session, configuration.folder, { diagnostics }),
        ]);
        if (options.kind === 'apply') session.console.say('Nothing was written.');
        return code;
      }
    }
    return await use(planned);
  } finally {
    session.progress.end();
    for (const connection of connections) await connection.close();
  }
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
    reader: connection.client,
    address: connection.address,
    only: flags.only ?? [],
    ...(connection.dialect && { dialect: connection.dialect }),
    ...(flags.maxDeletes !== undefined && { maxDeletes: flags.maxDeletes }),
    ...(reportScope && { reportScope }),
  });
  progress.end();
  return { configuration, connection, plan, readAt };
}
