import { buildConnector, type Dispatcher, Pool } from 'undici';
import { acceptingInterimResponses } from './interim-responses.ts';

export interface PoolOptions {
  readonly origin: string;
  readonly connections: number;
  /** Milliseconds. */
  readonly timeout: number;
  /** Bytes. */
  readonly largestBody: number;
}

/** A pool for the one origin, which costs less per request than an agent for any origin. */
export function connectionPool({ origin, connections, timeout, largestBody }: PoolOptions): Dispatcher {
  const connect = acceptingInterimResponses(buildConnector({ timeout }));
  return new Pool(origin, { connections, pipelining: 1, maxResponseSize: largestBody, connect });
}
