import { openConnections } from './connect.ts';
import type { RunContext } from './context.ts';
import { readSnapshotFile } from './files/input-files.ts';
import { loadWorking } from './load.ts';
import { type PlannedWorking, type PlanRootsOptions, planOffline, planWorking } from './plan-roots.ts';

export interface PlanForReportOptions extends Pick<PlanRootsOptions, 'reportScope'> {
  /** A file that `attune snapshot` wrote; the live state is read from it instead of the service. */
  readonly snapshot?: string | undefined;
}

/**
 * Plans root files for a run that only reports: a root file with errors does not stop the others.
 *
 * @throws {RefusedError} if no root file has a plan.
 */
export async function planForReport(
  files: readonly string[],
  context: RunContext,
  { snapshot: file, ...options }: PlanForReportOptions = {},
): Promise<PlannedWorking> {
  if (file !== undefined) {
    const snapshot = await readSnapshotFile(file, context.io.cwd);
    return planOffline(await loadWorking(files, context), snapshot, context, options);
  }
  const loaded = await loadWorking(files, context);
  await using connections = await openConnections(loaded.configurations, context);
  return await planWorking(loaded, connections, context, options);
}
