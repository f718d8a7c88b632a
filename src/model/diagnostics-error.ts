import { AttuneError } from './attune-error.ts';
import type { Diagnostic } from './diagnostic.ts';

/** Several things are wrong at once, each with its own place. */
export class DiagnosticsError extends AttuneError {
  override readonly name = 'DiagnosticsError';
  override readonly code = 'invalid';
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map((diagnostic) => diagnostic.message).join('\n'));
    this.diagnostics = diagnostics;
  }
}
