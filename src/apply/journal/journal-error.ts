import { AttuneError } from '../../model/attune-error.ts';

/** The journal could not be written; what it does not tell is not sent. */
export class JournalError extends AttuneError {
  override readonly name = 'JournalError';
  override readonly code = 'journal-not-written';
}
