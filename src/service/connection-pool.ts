import { buildConnector, type Dispatcher, Pool } from 'undici';
import { acceptingInterimResponses } from './interim-responses.ts';
import { largestBody, type PoolOptions } from './transport.ts';

/** A pool for the one origin, which costs less per request than an agent for any origin. */
export function connectionPool({ origin, connections, timeout }: PoolOptions): Dispatcher {
  const connect = acceptingInterimResponses(buildConnector({ timeout }));
  return new Pool(origin, { connections, pipelining: 1, maxResponseSize: largestBody, connect });
}
