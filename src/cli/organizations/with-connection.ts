import type { Configuration } from '../../desired/configuration.ts';
import type { Session } from '../session/session.ts';
import { settled } from './all-or-refused.ts';
import { type Connection, closeAll, connectAll } from './connect.ts';

/**
 * Connects to the service of a configuration and hands the connection on. It is closed afterwards, whatever happens.
 *
 * @throws {AttuneError} where there is no address or no token, or the embedded service cannot start.
 */
export function withConnection<Result>(
  configuration: Configuration,
  session: Session,
  use: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  return withConnections([configuration], session, async ([connection]) => use(settled(connection)));
}

/** The same for several: whether one of them could be reached is for `use` to judge. */
export async function withConnections<Result>(
  configurations: readonly Configuration[],
  session: Session,
  use: (connections: readonly PromiseSettledResult<Connection>[]) => Promise<Result>,
): Promise<Result> {
  const connections = await connectAll(configurations, { ...session, observe: session.progress.observe });
  try {
    return await use(connections);
  } finally {
    session.progress.end();
    await closeAll(connections);
  }
}
