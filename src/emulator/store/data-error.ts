/** The data file cannot be used. The message names it and says what to do; the file is left as it is. */
export class DataError extends Error {
  override readonly name = 'DataError';
}
