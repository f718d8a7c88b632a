import { AttuneError } from '../model/attune-error.ts';

/** What a plan was computed from is not there any more; nothing was overwritten. */
export class MovedOnError extends AttuneError {
  override readonly name = 'MovedOnError';
  override readonly code = 'moved-on';

  constructor(address: string, how: string) {
    super(`${address} has moved on since the plan: ${how}`, { hint: 'plan again' });
  }
}
