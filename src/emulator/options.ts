import { AttuneError } from '../model/diagnostic.ts';
import { type Dialect, dialects } from '../model/dialect.ts';
import type { Fault } from './faults.ts';
import type { Seed } from './seed/seed.ts';
import { type Edition, editions } from './world.ts';

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
   * @throws {@link FaultError} if a fault is invalid.
   */
  setFaults(faults: readonly Fault[]): void;
  /**
   * Writes pending data, then closes every connection.
   *
   * @throws {@link DataError} if the data cannot be written.
   */
  stop(): Promise<void>;
}

/**
 * The value of an option is invalid. The message names the option and the accepted values.
 *
 * @example
 * ```ts
 * import { OptionError, startEmulator } from 'attune/emulator';
 *
 * const error = await startEmulator({ port: -1 }).catch((reason: unknown) => reason);
 * console.log(error instanceof OptionError && error.message);
 * // The option port takes a number from 0 to 65535, not -1.
 * ```
 */
export class OptionError extends AttuneError {
  override readonly name = 'OptionError';
  override readonly code = 'bad-option';
}

/** Options also come from command lines, where types do not restrict them. */
export function checkOptions({ dialect, edition, port, latency, rate }: EmulatorOptions): void {
  if (dialect !== undefined && !dialects.includes(dialect)) refuse('dialect', dialects.join(' or '), dialect);
  if (edition !== undefined && !editions.includes(edition)) refuse('edition', editions.join(' or '), edition);
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
    refuse('port', 'a number from 0 to 65535', port);
  }
  if (latency !== undefined && !(latency >= 0 && latency <= 3_600_000)) {
    refuse('latency', 'milliseconds, up to an hour', latency);
  }
  if (rate !== undefined && !(Number.isInteger(rate) && rate >= 1)) {
    refuse('rate', 'a whole number of requests per second', rate);
  }
}

function refuse(option: string, takes: string, given: unknown): never {
  throw new OptionError(`The option ${option} takes ${takes}, not ${String(given)}.`);
}
