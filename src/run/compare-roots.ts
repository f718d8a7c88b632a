import { resolve } from 'node:path';
import { rootsOf } from '../model/configuration.ts';
import type { ReportEntry } from '../report/report.ts';
import { savePlans } from '../saved/plan-file.ts';
import { failedEntries, refusalOf } from './all-or-refused.ts';
import { withBases } from './base/load-base.ts';
import {
  connectedSources,
  openConnections,
  type PlanSource,
  recordedSources,
  type SourceOf,
} from './connect.ts';
import type { RunContext } from './context.ts';
import { RefusedError } from './errors.ts';
import { readSnapshotFile } from './files/input-files.ts';
import { writeFile } from './files/write-file.ts';
import { loadWorking } from './load.ts';
import { type PlannedOffline, planRoots } from './plan-roots.ts';
import { entriesOfPlans, rootName } from './report-entry.ts';

export interface ComparedRoots {
  readonly planned: readonly PlannedOffline[];
  readonly failed: readonly ReportEntry[];
  readonly entries: readonly ReportEntry[];
}

export interface CompareRootsOptions {
  readonly purpose: 'apply' | 'review' | 'drift';
  /** A file that `attune snapshot` wrote; the live state is read from it instead of the service. */
  readonly snapshot?: string | undefined;
}

/** Plans root files for a run that only reports: a root file with errors does not stop the others. */
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
  const missing = unloaded.map(({ source = '', organization }) => ({ name: source, organization }));
  const { failures, planned } = await planRoots(configurations, sources, context, {
    purpose,
    unloaded: missing,
  });
  if (planned.length === 0 && failures.length > 0) {
    const { entries } = refusalOf(failures, context, configurations.length + unloaded.length > 1);
    throw new RefusedError([...unloaded, ...entries]);
  }
  const failed = [...unloaded, ...failedEntries(failures, context)];
  return { planned, failed, entries: [...failed, ...entriesOfPlans(planned, context)] };
}

export async function savePlanned(
  planned: readonly PlannedOffline[],
  out: string,
  context: Pick<RunContext, 'io'>,
): Promise<void> {
  const plans = planned.flatMap(({ parts }) => parts);
  const roots = planned.flatMap(({ configuration }) => rootsOf(configuration));
  const names = roots.map((root) => rootName(root, context));
  await writeFile(resolve(context.io.cwd, out), savePlans(plans, names));
}
