import type { Configuration } from '../../desired/configuration.ts';
import { DiagnosticsError } from '../../model/attune-error.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { ReportEntry } from '../../report/report.ts';
import { errorDiagnostics } from '../console.ts';
import { entryOf } from '../emit.ts';
import { RefusedError } from '../run-errors.ts';
import type { Session } from '../session.ts';
import { valueOrThrow } from './connect.ts';

/**
 * Runs a step for every configuration, side by side, and waits for all of them.
 *
 * @throws {RefusedError} with the reasons of all if some of them failed.
 */
export async function allOrRefused<Result>(
  configurations: readonly Configuration[],
  session: Session,
  each: (configuration: Configuration, index: number) => Promise<Result>,
): Promise<Result[]> {
  const outcomes = await Promise.allSettled(configurations.map(each));
  const several = configurations.length > 1;
  const failed = configurations.flatMap((configuration, index) => {
    const outcome = outcomes[index];
    return outcome?.status === 'rejected'
      ? [failedEntry(outcome.reason, configuration, { session, several })]
      : [];
  });
  if (failed.length > 0) throw new RefusedError(failed);
  return outcomes.map(valueOrThrow);
}

/** Why it failed for one of them. */
function failedEntry(
  error: unknown,
  { diagnostics, folder, desired: { organization } }: Configuration,
  { session, several }: { readonly session: Session; readonly several: boolean },
): ReportEntry {
  // What is wrong with the plan comes with the warnings of the files already.
  const beside = error instanceof DiagnosticsError ? [] : diagnostics;
  const reasons = errorDiagnostics(error, session).map((reason) =>
    several ? withName(reason, organization) : reason,
  );
  return entryOf(session, folder, { organization, diagnostics: [...beside, ...reasons] });
}

/** What has no place in a file does not tell by itself whom it is about. */
function withName(reason: Diagnostic, organization: string): Diagnostic {
  return reason.location ? reason : { ...reason, message: `${organization}: ${reason.message}` };
}
