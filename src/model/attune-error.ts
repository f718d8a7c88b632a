/**
 * The root of every error that Attune knows: its message is meant for the user, so it is printed without a stack.
 * Anything else that is thrown is a bug and keeps its stack.
 */
export class AttuneError extends Error {
  override readonly name: string = 'AttuneError';
  /** Stands in docs/diagnostics.md, as the codes of diagnostics do. */
  readonly code: string = 'failed';
  /** What to do next. */
  readonly hint?: string;

  constructor(message: string, options: ErrorOptions & { hint?: string } = {}) {
    super(message, options);
    if (options.hint !== undefined) this.hint = options.hint;
  }
}
