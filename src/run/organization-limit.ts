import pLimit from 'p-limit';

/** More organizations over one connection would not be faster: each of them already sends its requests in parallel. */
const organizationsPerConnection = 8;
/** Connections with different tokens wait for different limits of the service, so they do not wait for each other. */
const organizationsAtATime = 64;

/** Limits how many organizations are read or written at a time, over one connection and in all. */
export function organizationLimit<Connection>(): <Result>(
  connection: Connection,
  run: () => Promise<Result>,
) => Promise<Result> {
  const all = pLimit(organizationsAtATime);
  const ofConnections = new Map<Connection, ReturnType<typeof pLimit>>();
  return (connection, run) => {
    const limit = ofConnections.get(connection) ?? pLimit(organizationsPerConnection);
    ofConnections.set(connection, limit);
    return limit(() => all(run));
  };
}
