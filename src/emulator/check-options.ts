import { AttuneError } from '../model/attune-error.ts';
import { dialects } from '../model/dialect.ts';
import { type EmulatorOptions, editions } from './options.ts';

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
