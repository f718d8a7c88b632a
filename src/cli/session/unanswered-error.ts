import { AttuneError } from '../../model/attune-error.ts';

/** Somebody was asked, and left: with Ctrl-C, which ends a run as a signal does, or without a word. */
export class UnansweredError extends AttuneError {
  override readonly name = 'UnansweredError';
  override readonly code = 'not-confirmed';
  readonly exitCode: 1 | 130;

  constructor(exitCode: 1 | 130) {
    super('the question was left without an answer; nothing was written');
    this.exitCode = exitCode;
  }
}
