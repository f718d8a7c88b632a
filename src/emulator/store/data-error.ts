import { AttuneError } from '../../model/attune-error.ts';

/** The data file cannot be used. The message names it and says what to do; the file is left as it is. */
export class DataError extends AttuneError {
  override readonly name = 'DataError';
  override readonly code = 'bad-data';
}
