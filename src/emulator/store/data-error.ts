import { AttuneError } from '../../model/attune-error.ts';

/**
 * The data file cannot be used. The message names it and the remedy; the file is not changed.
 *
 * @example
 * ```ts
 * import { DataError, startEmulator } from 'attune/emulator';
 *
 * const first = await startEmulator({ data: 'service.json' });
 * const error = await startEmulator({ data: 'service.json' }).catch((reason: unknown) => reason);
 * console.log(error instanceof DataError && error.code); // bad-data
 * await first.stop();
 * ```
 */
export class DataError extends AttuneError {
  override readonly name = 'DataError';
  override readonly code = 'bad-data';
}
