import { showPlace } from '../desired/declarations.ts';
import { AttuneError } from '../model/attune-error.ts';
import type { Diagnostic } from '../model/diagnostic.ts';

/**
 * A program declares what cannot be: every broken rule with the construct that breaks it and its line.
 *
 * @example
 * ```ts
 * new Workspace(acme, 'agents', { executionMode: 'agent' });
 * const error = await app.synth().catch((reason: unknown) => reason);
 * if (error instanceof SynthesisError) console.log(error.diagnostics[0]?.code); // agent-pool-missing
 * ```
 */
export class SynthesisError extends AttuneError {
  override readonly name = 'SynthesisError';
  override readonly code = 'invalid';
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    const lines = errors.map(({ message, location, hint }) =>
      [
        message,
        ...(location ? [`    at ${showPlace(location)}`] : []),
        ...(hint ? [`    hint: ${hint}`] : []),
      ].join('\n'),
    );
    super(
      `the program breaks ${errors.length === 1 ? 'a rule' : `${errors.length} rules`}\n\n${lines.join('\n\n')}\n`,
    );
    this.diagnostics = diagnostics;
    // Where synth was called says nothing about the constructs.
    this.stack = `${this.name}: ${this.message}`;
    // Node prints an error that nobody catches with all its members, and the rules need not be told twice.
    for (const key of Object.keys(this)) Object.defineProperty(this, key, { enumerable: false });
  }
}
