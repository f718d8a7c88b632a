import { AttuneError, type Diagnostic, DiagnosticsError, problem } from '../model/diagnostic.ts';
import type { ReportEntry } from '../report/report.ts';
import type { RunContext, RunState } from './context.ts';
import { issueTracker, version } from './manifest.ts';

/**
 * A run ends before it has a result. The reasons have locations in files. Options and files that no run can start from, such as a
 * saved plan that does not exist, are another {@link AttuneError}.
 *
 * @example
 * ```ts
 * try {
 *   await planFiles(['missing.yaml']);
 * } catch (error) {
 *   if (!(error instanceof RefusedError)) throw error;
 *   console.log(error.entries.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code))); // [ 'file-not-found' ]
 * }
 * ```
 */
export class RefusedError extends AttuneError {
  override readonly name = 'RefusedError';
  override readonly code = 'invalid';
  /** The root files, with the reasons of each. */
  readonly entries: readonly ReportEntry[];

  constructor(entries: readonly ReportEntry[]) {
    super(entries.flatMap(({ diagnostics }) => diagnostics.map(({ message }) => message)).join('\n'));
    this.entries = entries;
  }
}

export function errorDiagnostics(
  error: unknown,
  { io, console }: Pick<RunContext, 'io' | 'console'>,
): readonly Diagnostic[] {
  if (error instanceof DiagnosticsError) return error.diagnostics;
  if (!(error instanceof AttuneError)) {
    console.unknownError(error);
    return [internalDiagnostic(error, io.run)];
  }
  return [problem(error.code, error.message, { hint: error.hint })];
}

/** Why a step failed whose failure does not end the run; empty if it did not. */
export function failureOf(
  step: Promise<unknown>,
  context: Pick<RunContext, 'io' | 'console'>,
): Promise<readonly Diagnostic[]> {
  return step.then(
    () => [],
    (error: unknown) => errorDiagnostics(error, context),
  );
}

export function internalDiagnostic(
  error: unknown,
  { command = 'attune' }: Pick<RunState, 'command'>,
): Diagnostic {
  const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return problem('internal', `${command} failed in Attune ${version()}: ${why}`, {
    hint: `report it to ${issueTracker()} with this message and the stack trace that --verbose prints`,
  });
}
