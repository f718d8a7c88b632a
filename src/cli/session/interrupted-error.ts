import { AttuneError } from '../../model/attune-error.ts';

/** The exit codes of a run that a signal stopped, as shells count them. */
export const signalCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** A signal stopped the run before it had anything to report. */
export class InterruptedError extends AttuneError {
  override readonly name = 'InterruptedError';
  override readonly code = 'interrupted';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('the run was stopped by a signal');
    this.exitCode = exitCode;
  }
}
