import { AttuneError } from './attune-error.ts';
import type { Diagnostic } from './diagnostic.ts';

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
