import { resolve } from 'node:path';
import type { Configuration } from '../model/configuration.ts';
import { type Diagnostic, warning } from '../model/diagnostic.ts';
import { resourcesOf } from '../model/state.ts';
import type { ReportEntry } from '../report/report.ts';
import { failedEntries, refusalOf } from './all-or-refused.ts';
import { withBases } from './base/load-base.ts';
import { openConnections } from './connect.ts';
import type { RunContext } from './context.ts';
import { RefusedError } from './errors.ts';
import { readSnapshotFile } from './files/input-files.ts';
import { writeFile } from './files/write-file.ts';
import { loadWorking } from './load.ts';
import {
  connectedSources,
  type PlannedOffline,
  type PlanSource,
  planRoots,
  recordedSources,
  type SourceOf,
  unmatchedIn,
} from './plan-roots.ts';
import { entriesOfPlans, rootName } from './report-entry.ts';
import { savePlans } from './saved-documents.ts';

/** The root files of a run that have a plan, and the report entries of the others. */
export interface ComparedRoots {
  readonly planned: readonly PlannedOffline[];
  readonly failed: readonly ReportEntry[];
  /** Those of the root files without a plan, then those of the plans. */
  readonly entries: readonly ReportEntry[];
  /** Warnings of patterns of `--only` that match nothing; the user has seen them. */
  readonly unmatched: readonly Diagnostic[];
}

export interface CompareRootsOptions {
  readonly purpose: 'apply' | 'review' | 'drift';
  /** A file that `attune snapshot` wrote; the live state is read from it instead of the service. */
  readonly snapshot?: string | undefined;
}

/**
 * Plans root files for a run that only reports: a root file with errors does not stop the others.
 *
 * @throws {RefusedError} if no root file has a plan.
 */
export async function compareRoots(
  files: readonly string[],
  context: RunContext,
  { purpose, snapshot: file }: CompareRootsOptions,
): Promise<ComparedRoots> {
  const snapshot = file === undefined ? undefined : await readSnapshotFile(file, context.io.cwd);
  const { configurations: loaded, failed: unloaded } = await loadWorking(files, context);
  const configurations = await withBases(loaded, context);
  await using connections = await openConnections(snapshot ? [] : configurations, context);
  const sources: SourceOf<PlanSource> = snapshot
    ? recordedSources(snapshot)
    : connectedSources(connections, context);
  const outcome = await planRoots(configurations, sources, context, { purpose });
  const { failures } = outcome;
  if (outcome.planned.length === 0 && failures.length > 0) {
    const { entries } = refusalOf(failures, context, configurations.length + unloaded.length > 1);
    throw new RefusedError([...unloaded, ...entries]);
  }
  const unplanned = failedEntries(failures, context);
  const unnamed = unplanned.filter((_, index) => hasUnnamedGrants(failures[index]?.configuration));
  const planned = outcome.planned.map(({ configuration, plan }) =>
    besideUnloaded({ configuration, plan }, { unloaded, unnamed }),
  );
  const failed = [...unloaded, ...unplanned];
  const unmatched = unmatchedIn(outcome, context);
  context.console.diagnostics(unmatched);
  return { planned, failed, entries: [...failed, ...entriesOfPlans(planned, context)], unmatched };
}

/** Whether names of its grants are not resolved: then it is unknown which live grants it declares. */
function hasUnnamedGrants(configuration: Configuration | undefined): boolean {
  const { desired, lookUps = [] } = configuration ?? {};
  const open = new Set(lookUps.map(({ placeholder }) => placeholder));
  return resourcesOf(desired?.resources.values() ?? [], 'team-access').some(
    ({ attributes: { project, team } }) => open.has(project) || open.has(team),
  );
}

/** Resources that a root file with errors declares look undeclared to the others of its organization. */
function besideUnloaded(
  one: PlannedOffline,
  { unloaded, unnamed }: Readonly<Record<'unloaded' | 'unnamed', readonly ReportEntry[]>>,
): PlannedOffline {
  const { configuration, plan } = one;
  const { desired, scope, prune } = configuration;
  const showsGrants = prune.teamAccess || plan.undeclaredAccess !== undefined;
  if (scope === undefined && !showsGrants) return one;
  const name = desired.organization.toLowerCase();
  const warnings = [...unloaded, ...(showsGrants ? unnamed : [])]
    .filter(({ organization }) => organization === undefined || organization.toLowerCase() === name)
    .map(
      ({ source = '' }): Diagnostic =>
        warning(
          'root-file-missing',
          `${source} has errors: what it declares for ${desired.organization} can be shown here as undeclared or deleted`,
          { hint: `correct ${source}, then run again` },
        ),
    );
  return { ...one, plan: { ...plan, diagnostics: [...plan.diagnostics, ...warnings] } };
}

/** Saves plans to a file. */
export async function savePlanned(
  planned: readonly PlannedOffline[],
  out: string,
  context: Pick<RunContext, 'io'>,
): Promise<void> {
  const plans = planned.map(({ plan }) => plan);
  const roots = planned.map(({ configuration }) => rootName(configuration, context));
  await writeFile(resolve(context.io.cwd, out), savePlans(plans, roots));
}
