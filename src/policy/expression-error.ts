/** An expression is wrong, or cannot be evaluated. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  /** Where in the expression, from 0. */
  readonly offset: number;
  readonly hint: string;

  constructor(message: string, { offset, hint }: { readonly offset: number; readonly hint: string }) {
    super(message);
    this.offset = offset;
    this.hint = hint;
  }
}
