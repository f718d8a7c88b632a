/*
 * The plans of a run: those that are reported, where a root file with errors does not stop the others, and those that are applied, of
 * which each must be possible.
 */

import { resolve } from 'node:path';
import { rootsOf } from '../model/configuration.ts';
import type { ReportEntry } from '../report/report.ts';
import { savePlans } from '../saved/plan-file.ts';
import { configurationsOf } from '../saved/saved-for.ts';
import { withBases } from './base/with-base.ts';
import {
  type Connections,
  connectedSources,
  openConnections,
  type PlanSource,
  recordedSources,
  type SourceOf,
} from './connect.ts';
import type { RunContext } from './context.ts';
import { readPlanFile, readSnapshotFile } from './files/input-files.ts';
import { writeFile } from './files/write-file.ts';
import { loadConfigurations, loadWorking } from './load.ts';
import { allPlanned, type Planned, type PlannedOffline, planRoots } from './plan-roots.ts';
import { entriesOfPlans, failedEntries, refusalOf, rootName } from './report-entry.ts';
import type { UndoRequest } from './revert-runs.ts';

export interface ComparedRoots {
  readonly planned: readonly PlannedOffline[];
  readonly failed: readonly ReportEntry[];
  readonly entries: readonly ReportEntry[];
}

/** Plans root files for a run that only reports: a root file with errors does not stop the others. */
export async function compareRoots(
  files: readonly string[],
  context: RunContext,
  {
    purpose,
    snapshot: file,
  }: { readonly purpose: 'apply' | 'review' | 'drift'; readonly snapshot?: string | undefined },
): Promise<ComparedRoots> {
  const snapshot = file === undefined ? undefined : await readSnapshotFile(file, context.io.cwd);
  const { configurations: loaded, failed: unloaded } = await loadWorking(files, context);
  const configurations = await withBases(loaded, context);
  await using connections = await openConnections(snapshot ? [] : configurations, context);
  const sources: SourceOf<PlanSource> = snapshot
    ? recordedSources(snapshot)
    : connectedSources(connections, context);
  const { failures, planned } = await planRoots(configurations, sources, context, { purpose, unloaded });
  if (planned.length === 0 && failures.length > 0) throw refusalOf(failures, context, unloaded);
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

export type ApplyRequest = { readonly files: readonly string[] } & (
  | { readonly purpose: 'apply' }
  | { readonly purpose: 'replan'; readonly plan: string }
  | ({ readonly purpose: 'undo' } & UndoRequest)
);

export async function withPlans<Result>(
  request: ApplyRequest,
  context: RunContext,
  use: (planned: readonly Planned[]) => Promise<Result>,
): Promise<Result> {
  const { configurations, plansOver } = await prepare(request, context);
  await using connections = await openConnections(configurations, context);
  return await use(await plansOver(connections));
}

async function prepare(request: ApplyRequest, context: RunContext) {
  if (request.purpose === 'undo') return (await import('./revert-runs.ts')).undoPlans(request, context);
  const { purpose, files } = request;
  const { cwd } = context.io;
  const saved = request.purpose === 'replan' ? await readPlanFile(request.plan, cwd) : undefined;
  const loaded = await loadConfigurations(files, context);
  const configurations = saved ? configurationsOf(saved, loaded, cwd) : await withBases(loaded, context);
  return {
    configurations,
    plansOver: async (connections: Connections) => {
      const sources = connectedSources(connections, context);
      return allPlanned(await planRoots(configurations, sources, context, { purpose, saved }), context);
    },
  };
}
