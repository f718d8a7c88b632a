import { AttuneError, DiagnosticsError } from '../model/attune-error.ts';
import type { Configuration } from '../model/configuration.ts';
import type { Receiver } from '../model/rules.ts';
import { counted } from '../model/text.ts';
import { groupBy } from '../model/value.ts';
import type { ReportEntry } from '../report/report.ts';
import { NetworkError, ServiceError } from '../service/service-error.ts';
import { valueOrThrow } from './connect.ts';
import type { RunContext } from './context.ts';
import { errorDiagnostics, RefusedError } from './errors.ts';
import { rootEntry, rootName } from './report-entry.ts';

export async function allOrRefused<Result>(
  configurations: readonly Configuration[],
  context: RunContext,
  each: (configuration: Configuration, index: number) => Promise<Result>,
): Promise<Result[]> {
  const outcomes = await Promise.allSettled(configurations.map(each));
  const failures = configurations.flatMap((configuration, index): Failure[] => {
    const outcome = outcomes[index];
    return outcome?.status === 'rejected' ? [{ error: outcome.reason, configuration }] : [];
  });
  if (failures.length === 0) return outcomes.map(valueOrThrow);
  throw refusalOf(failures, context, configurations.length > 1);
}

export interface Failure {
  readonly error: unknown;
  readonly configuration: Configuration;
}

export class OtherRootError extends AttuneError {
  constructor(file: string) {
    super(`there is no plan: ${file} has errors`, { code: 'root-file-missing', hint: `correct ${file}` });
  }
}

/** The end of a run that has failures. A service that several root files cannot reach is reported once. */
export function refusalOf(all: readonly Failure[], context: RunContext, several: boolean): RefusedError {
  const failures = all.filter(({ error }) => !(error instanceof OtherRootError));
  const entries = withAlike(failures, (failure, alike) => {
    const name = several ? nameOf(failure, failures, context) : undefined;
    if (alike[0] !== failure) return failedEntry(failure, context, { name, alike: undefined });
    const entry = failedEntry(failure, context, { name, alike: alike.length - 1 });
    return { ...entry, receivers: receiversOf(alike) };
  });
  return new RefusedError(entries.filter(({ diagnostics }) => diagnostics.length > 0));
}

function receiversOf(failures: readonly Failure[]): readonly Receiver[] {
  const all = failures.flatMap(({ configuration }) => configuration.notify ?? []);
  const same = groupBy(all, ({ to, urlEnv, secretEnv }) => JSON.stringify([to, urlEnv, secretEnv]));
  return [...same.values()].flatMap(([first, ...others]) =>
    first ? { ...first, on: [...new Set([first, ...others].flatMap(({ on }) => on))] } : [],
  );
}

export function failedEntries(failures: readonly Failure[], context: RunContext): readonly ReportEntry[] {
  return withAlike(failures, (failure, [first]) => {
    const name = nameOf(failure, failures, context);
    const entry = failedEntry(failure, context, { name, alike: 0 });
    const failed = { ...entry, source: entry.file, failed: true } as const;
    if (first === undefined || first === failure) return failed;
    const other = nameOf(first, failures, context);
    const as = other === name ? rootName(first.configuration, context) : other;
    const message = `${name}: failed for the same reason as ${as}`;
    const diagnostics = entry.diagnostics.map((reason) => {
      const { hint: _, ...rest } = reason;
      return reason.severity === 'error' ? { ...rest, message } : reason;
    });
    return { ...failed, diagnostics };
  });
}

function withAlike<Result>(
  failures: readonly Failure[],
  use: (failure: Failure, alike: readonly Failure[]) => Result,
): Result[] {
  const alike = groupBy(failures, ({ error }) => reasonOf(error));
  return failures.map((failure) => use(failure, alike.get(reasonOf(failure.error)) ?? []));
}

/** The same for root files that cannot reach the service, or have no valid token for it, whichever request failed. */
function reasonOf(error: unknown): unknown {
  const isOfRequest =
    error instanceof NetworkError || (error instanceof ServiceError && error.status === 401);
  const isWithoutToken = error instanceof AttuneError && error.code === 'no-token';
  if (!isOfRequest && !isWithoutToken) return error;
  const request = isOfRequest ? `${error.method} ${error.path}` : '';
  return [error.code, error.message.replace(request, ''), error.hint].join('\n');
}

/**
 * Messages call the root file by its name, unless it is the only one of the run. `alike` more root files failed for the same
 * reason; if another one has reported it, it is undefined.
 */
function failedEntry(
  { error, configuration }: Failure,
  context: RunContext,
  { name, alike }: { readonly name: string | undefined; readonly alike: number | undefined },
): ReportEntry & { readonly file: string } {
  const { diagnostics } = configuration;
  // The diagnostics of a plan include the warnings of the files already.
  const beside = error instanceof DiagnosticsError ? [] : diagnostics;
  const more = alike ? ` (${counted(alike, 'more root file')} failed for this reason)` : '';
  const reasons = errorDiagnostics(error, context).map((reason) => {
    const named = name === undefined || reason.location ? '' : `${name}: `;
    return named + more === '' ? reason : { ...reason, message: `${named}${reason.message}${more}` };
  });
  return rootEntry(configuration, context, [...beside, ...(alike === undefined ? [] : reasons)]);
}

/** The organization of a root file, or its path if another one of the organization failed for another reason. */
function nameOf(failure: Failure, failures: readonly Failure[], context: RunContext): string {
  const { organization } = failure.configuration.desired;
  const isAmbiguous = failures.some(
    ({ configuration, error }) =>
      configuration.desired.organization === organization && reasonOf(error) !== reasonOf(failure.error),
  );
  return isAmbiguous ? rootName(failure.configuration, context) : organization;
}
