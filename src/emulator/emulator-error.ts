import { AttuneError } from '../model/diagnostic.ts';
import { readRegularFile } from '../model/files.ts';

/**
 * The seed, the faults or the data file cannot be used. The message names the place and the reason; files are not changed.
 *
 * @example
 * ```ts
 * import { EmulatorError, startEmulator } from 'attune/emulator';
 *
 * const seed = { workspaces: { network: { 'ssh-key': 'unknown' } } };
 * const error = await startEmulator({ seed }).catch((reason: unknown) => reason);
 * console.log(error instanceof EmulatorError && error.code); // bad-data
 * ```
 */
export class EmulatorError extends AttuneError {
  override readonly name = 'EmulatorError';
  override readonly code = 'bad-data';
}

/** @throws {EmulatorError} if the file cannot be read. */
export function readInput(what: string, path: string): Promise<string> {
  return readRegularFile(path).catch((cause) => {
    const why = cause.code === 'ENOENT' ? 'it does not exist' : cause.message;
    throw new EmulatorError(`cannot read the ${what} ${path}: ${why}`, { cause });
  });
}
