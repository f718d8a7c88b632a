import { AttuneError } from '../model/attune-error.ts';
import { type Dialect, dialects } from '../model/dialect.ts';
import type { Fault } from './faults/faults.ts';
import type { Seed } from './seed/seed.ts';

/**
 * Two offerings of one service: data retention exists on the self-hosted one only, `assessments-enabled` on the hosted
 * one only.
 */
export const editions = ['hosted', 'self-hosted'] as const;
/** One of the two offerings. */
export type Edition = (typeof editions)[number];

/** What an embedded service is, and what it starts with. */
export interface EmulatorOptions {
  /** The organization to serve; or several, of which the first takes the seed. @default the seed's, else `acme` */
  readonly organization?: string | readonly string[];
  /** @default 'iac' */
  readonly dialect?: Dialect;
  /** @default 'hosted' in the terraform dialect; the iac dialect serves all of the interface document */
  readonly edition?: Edition;
  /** @default 0, a free one */
  readonly port?: number;
  /** The file that keeps the data, with `.journal` and `.lock` beside it. Without it, nothing outlives the process. */
  readonly data?: string;
  /** What there is at the start: a YAML file, or the same as plain data. Not read again once there is data. */
  readonly seed?: string | Seed;
  /** Milliseconds added to each request. */
  readonly latency?: number;
  /** Requests per second and caller; more are answered with 429. */
  readonly rate?: number;
  /** What shall go wrong: a YAML or JSON file, or the same as plain data. */
  readonly faults?: readonly Fault[] | string;
  /** A file that takes each request as a line of JSON, or a function that is called with it. */
  readonly log?: string | ((entry: RequestEntry) => void);
}

/** One request that was answered, or cut off. */
export interface RequestEntry {
  readonly method: string;
  /** Decoded, with the query and without `/api/v2`. */
  readonly path: string;
  /** 0 where no answer was sent. */
  readonly status: number;
  readonly body?: unknown;
}

/** A running service. */
export interface Emulator {
  /** `http://127.0.0.1:PORT`, without `/api/v2`. */
  readonly url: string;
  /** Whether the data at the start has tokens, so that only these are accepted; otherwise any token is an owner's. */
  readonly needsToken: boolean;
  /** The requests so far, oldest first; the last 100,000 of them. */
  readonly requests: readonly RequestEntry[];
  /**
   * Forgets the requests so far.
   *
   * @example
   * ```ts
   * import { startEmulator } from 'attune/emulator';
   *
   * const emulator = await startEmulator();
   * await fetch(`${emulator.url}/api/v2/organizations/acme`);
   * console.log(emulator.requests.length); // 1
   * emulator.clearRequests();
   * console.log(emulator.requests.length); // 0
   * await emulator.stop();
   * ```
   */
  clearRequests(): void;
  /**
   * Replaces what shall go wrong from now on.
   *
   * @throws {@link FaultError} where a fault cannot be meant.
   * @example
   * ```ts
   * import { startEmulator } from 'attune/emulator';
   *
   * const emulator = await startEmulator();
   * emulator.setFaults([{ kind: 'status', status: 503, times: 1 }]);
   * const { status } = await fetch(`${emulator.url}/api/v2/organizations/acme`);
   * console.log(status); // 503
   * await emulator.stop();
   * ```
   */
  setFaults(faults: readonly Fault[]): void;
  /**
   * Writes what is left to write, then closes every connection.
   *
   * @throws {@link DataError} where the data cannot be written.
   * @example
   * ```ts
   * import { startEmulator } from 'attune/emulator';
   *
   * const emulator = await startEmulator({ data: 'service.json' });
   * await emulator.stop();
   * ```
   */
  stop(): Promise<void>;
}

/**
 * An option has a value that cannot be meant. The message tells which and what it takes.
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

/** Options arrive from command lines too, so types alone do not vouch for them. */
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
