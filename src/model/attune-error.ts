import type { Diagnostic } from './diagnostic.ts';

/**
 * The base class of every expected error. The CLI prints its message without a stack. Any other error is a bug and is
 * printed with its stack.
 *
 * @example
 * ```ts
 * const error = await service.workspaces.show('').catch((reason: unknown) => reason);
 * if (error instanceof AttuneError) console.log(`${error.code}: ${error.hint}`);
 * // bad-path-segment: use an id or a name
 * ```
 */
export class AttuneError extends Error {
  override readonly name: string = 'AttuneError';
  /** Listed in docs/diagnostics.md. */
  readonly code: string;
  /** What to do next. */
  readonly hint?: string;

  constructor(message: string, options: ErrorOptions & { hint?: string | undefined; code?: string } = {}) {
    super(message, options);
    this.code = options.code ?? 'failed';
    if (options.hint !== undefined) this.hint = options.hint;
  }
}

export function usageError(message: string, hint: string): AttuneError {
  return new AttuneError(message, { code: 'usage', hint });
}

/**
 * Several diagnostics, each with its own location.
 *
 * @example
 * ```ts
 * const named = lookUpNames(declared, async () => []);
 * const error = await named.catch((reason: unknown) => reason);
 * if (error instanceof DiagnosticsError) console.log(error.diagnostics[0]?.code); // unknown-name
 * ```
 */
export class DiagnosticsError extends AttuneError {
  override readonly name = 'DiagnosticsError';
  override readonly code = 'invalid';
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map((diagnostic) => diagnostic.message).join('\n'));
    this.diagnostics = diagnostics;
  }
}
