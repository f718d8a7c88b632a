import type { Dialect } from '../model/dialect.ts';
import type { Fault } from './faults.ts';
import type { Seed } from './seed/seed.ts';
import type { Edition } from './world.ts';

/** The options of an embedded service, and its initial state. */
export interface EmulatorOptions {
  /** The organization to serve; or several, of which the first takes the seed. @default the seed's, else `acme` */
  readonly organization?: string | readonly string[];
  /** @default 'iac' */
  readonly dialect?: Dialect;
  /** @default 'hosted' in the terraform dialect; the iac dialect serves all of the interface document */
  readonly edition?: Edition;
  /** @default 0, a free port */
  readonly port?: number;
  /** The data file, with `.lock` beside it. Without it, the data is lost when the process ends. */
  readonly data?: string;
  /** The initial state: a YAML file, or plain data. Ignored if there is data already. */
  readonly seed?: string | Seed | undefined;
  /** Milliseconds added to each request. */
  readonly latency?: number;
  /** Requests per second and caller; further requests are answered with 429. */
  readonly rate?: number;
  /** The faults to simulate: a YAML or JSON file, or plain data. */
  readonly faults?: readonly Fault[] | string;
  /** A file to which each request is appended as a line of JSON, or a function that is called with it. */
  readonly log?: string | ((entry: RequestEntry) => void);
}

/** One request that was answered, or cut off. */
export interface RequestEntry {
  readonly method: string;
  /** Decoded, with the query and without `/api/v2`. */
  readonly path: string;
  /** 0 if no response was sent. */
  readonly status: number;
  readonly body?: unknown;
}

/** A running service. */
export interface Emulator {
  /** `http://127.0.0.1:PORT`, without `/api/v2`. */
  readonly url: string;
  /** Whether the initial data has tokens, so that only these are accepted; otherwise any token is an owner's. */
  readonly needsToken: boolean;
  /** The last 100,000 requests, oldest first. */
  readonly requests: readonly RequestEntry[];
  /** Clears the list of requests. */
  clearRequests(): void;
  /**
   * Replaces the simulated faults for all further requests.
   *
   * @throws {@link EmulatorError} if a fault is invalid.
   */
  setFaults(faults: readonly Fault[]): void;
  /**
   * Writes pending data, then closes every connection.
   *
   * @throws {@link EmulatorError} if the data cannot be written.
   */
  stop(): Promise<void>;
}
