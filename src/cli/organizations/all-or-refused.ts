import type { Configuration } from '../../desired/configuration.ts';
import { DiagnosticsError } from '../../model/attune-error.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { counted } from '../../model/text.ts';
import { groupBy } from '../../model/value.ts';
import type { ReportEntry } from '../../report/report.ts';
import { NetworkError } from '../../service/service-error.ts';
import { errorDiagnostics } from '../console.ts';
import { entryOf } from '../emit.ts';
import { RefusedError } from '../run-errors.ts';
import type { Session } from '../session.ts';
import { valueOrThrow } from './connect.ts';

/**
 * Runs a step for every configuration in parallel and waits for all of them. A service that several of them cannot reach
 * is reported once.
 *
 * @throws {RefusedError} with the reasons of all if some of them failed.
 */
export async function allOrRefused<Result>(
  configurations: readonly Configuration[],
  session: Session,
  each: (configuration: Configuration, index: number) => Promise<Result>,
): Promise<Result[]> {
  const outcomes = await Promise.allSettled(configurations.map(each));
  const failures = configurations.flatMap((configuration, index): Failure[] => {
    const outcome = outcomes[index];
    return outcome?.status === 'rejected' ? [{ error: outcome.reason, configuration }] : [];
  });
  if (failures.length === 0) return outcomes.map(valueOrThrow);
  const several = configurations.length > 1;
  const alike = groupBy(failures, ({ error }) => sharedReason(error) ?? error);
  const entries = failures.map((failure) => {
    const [first, ...others] = alike.get(sharedReason(failure.error) ?? failure.error) ?? [];
    return failedEntry(failure, { session, several, alike: first === failure ? others.length : undefined });
  });
  throw new RefusedError(entries.filter(({ diagnostics }) => diagnostics.length > 0));
}

interface Failure {
  readonly error: unknown;
  readonly configuration: Configuration;
}

/** The error without its request, for a service that several root files cannot reach. */
function sharedReason(error: unknown): string | undefined {
  if (!(error instanceof NetworkError)) return undefined;
  return [error.message.replace(`${error.method} ${error.path}`, ''), error.hint].join('\n');
}

interface FailedEntryOptions {
  readonly session: Session;
  /** The run has several root files. */
  readonly several: boolean;
  /** How many more root files failed for the same reason; absent if another one has reported it. */
  readonly alike: number | undefined;
}

/** The report entry of a failed root file. */
function failedEntry(
  { error, configuration }: Failure,
  { session, several, alike }: FailedEntryOptions,
): ReportEntry {
  const { diagnostics, folder, desired } = configuration;
  const { organization } = desired;
  // The diagnostics of a plan include the warnings of the files already.
  const beside = error instanceof DiagnosticsError ? [] : diagnostics;
  const reasons = errorDiagnostics(error, session).map((reason) =>
    several ? withName(reason, organization) : reason,
  );
  const reported = alike === undefined ? [] : reasons.map((reason) => withCount(reason, alike));
  return entryOf(session, folder, { organization, diagnostics: [...beside, ...reported] });
}

function withCount(reason: Diagnostic, alike: number): Diagnostic {
  if (alike === 0) return reason;
  return {
    ...reason,
    message: `${reason.message} (${counted(alike, 'more root file')} failed for this reason)`,
  };
}

/** Adds the organization to a diagnostic without a location. */
function withName(reason: Diagnostic, organization: string): Diagnostic {
  return reason.location ? reason : { ...reason, message: `${organization}: ${reason.message}` };
}
