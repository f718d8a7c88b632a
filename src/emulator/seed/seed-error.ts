import { AttuneError } from '../../model/attune-error.ts';

/**
 * The seed cannot be used. The message names every place that is wrong.
 *
 * @example
 * ```ts
 * import { SeedError, startEmulator } from 'attune/emulator';
 *
 * const seed = { workspaces: { network: { 'ssh-key': 'unknown' } } };
 * const error = await startEmulator({ seed }).catch((reason: unknown) => reason);
 * console.log(error instanceof SeedError && error.code); // bad-seed
 * ```
 */
export class SeedError extends AttuneError {
  override readonly name = 'SeedError';
  override readonly code = 'bad-seed';
}

/** Where something stands in a seed, as keys from the top. */
export type SeedPath = readonly (string | number)[];

/** Says where a path of the seed stands: `seed.yaml:3:5`, or the keys themselves for plain data. */
export type Locate = (path: SeedPath) => string;
