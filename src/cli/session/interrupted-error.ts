import { AttuneError } from '../../model/attune-error.ts';

/** A signal stopped the run before it had anything to report. */
export class InterruptedError extends AttuneError {
  override readonly name = 'InterruptedError';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('the run was stopped');
    this.exitCode = exitCode;
  }
}
