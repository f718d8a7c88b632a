import { AttuneError } from '../../model/attune-error.ts';

/**
 * The journal could not be written; calls that it does not record are not sent.
 *
 * @example
 * ```ts
 * const error = await openJournal('no-such-folder/apply.journal').catch((reason: unknown) => reason);
 * console.log(error instanceof JournalError && error.code); // journal-not-written
 * ```
 */
export class JournalError extends AttuneError {
  override readonly name = 'JournalError';
  override readonly code = 'journal-not-written';
}
