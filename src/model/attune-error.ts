import type { Diagnostic } from './diagnostic.ts';

/**
 * The root of every error that Attune knows: its message is meant for the user, so it is printed without a stack.
 * Anything else that is thrown is a bug and keeps its stack.
 *
 * @example
 * ```ts
 * const error = await service.workspaces.show('').catch((reason: unknown) => reason);
 * if (error instanceof AttuneError) console.log(`${error.code}: ${error.hint}`);
 * // bad-path-segment: give the id or the name of what is meant
 * ```
 */
export class AttuneError extends Error {
  override readonly name: string = 'AttuneError';
  /** Stands in docs/diagnostics.md, as the codes of diagnostics do. */
  readonly code: string;
  /** What to do next. */
  readonly hint?: string;

  constructor(message: string, options: ErrorOptions & { hint?: string; code?: string } = {}) {
    super(message, options);
    this.code = options.code ?? 'failed';
    if (options.hint !== undefined) this.hint = options.hint;
  }
}

/**
 * Several things are wrong at once, each with its own place.
 *
 * @example
 * ```ts
 * const nobody = lookUpNames(declared, async () => []);
 * const error = await nobody.catch((reason: unknown) => reason);
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
