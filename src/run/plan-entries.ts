import { relative, resolve } from 'node:path';
import type { Configuration } from '../desired/configuration.ts';
import type { ApplyResult } from '../model/apply-result.ts';
import { slashed } from '../model/files.ts';
import { savePlans } from '../plan/saved-plan.ts';
import type { ReportEntry } from '../report/report.ts';
import type { RunContext } from './context.ts';
import { writeFile } from './files/write-file.ts';
import type { PlannedOffline } from './plan-roots.ts';
import { entryOf } from './report-entry.ts';

/** The entries of plans in a report. */
export function planEntries(planned: readonly PlannedOffline[], context: RunContext): ReportEntry[] {
  return planned.map(({ configuration, plan }) =>
    entryOf(context, configuration.folder, {
      plan,
      diagnostics: plan.diagnostics,
      file: rootName(configuration, context.io.cwd),
      ...(configuration.notify && { receivers: configuration.notify }),
    }),
  );
}

/** The entry of a root file, without a result. */
export function rootEntry(configuration: Configuration, context: RunContext): ReportEntry {
  const { desired, folder, notify } = configuration;
  return entryOf(context, folder, {
    organization: desired.organization,
    file: rootName(configuration, context.io.cwd),
    ...(notify && { receivers: notify }),
    diagnostics: [],
  });
}

function rootName({ file }: Configuration, cwd: string): string {
  return slashed(relative(cwd, file));
}

/** Saves plans to a file. */
export async function savePlanned(
  planned: readonly PlannedOffline[],
  out: string,
  cwd: string,
): Promise<void> {
  const plans = planned.map(({ plan }) => plan);
  const roots = planned.map(({ configuration }) => rootName(configuration, cwd));
  await writeFile(resolve(cwd, out), savePlans(plans, roots));
}

/** The entries of plans with their results, one per plan. */
export function withResults(
  entries: readonly ReportEntry[],
  planned: readonly PlannedOffline[],
  results: readonly ApplyResult[],
  context: RunContext,
): ReportEntry[] {
  return entries.map((entry, index) => {
    const [one, result] = [planned[index], results[index]];
    if (one === undefined || result === undefined) return entry;
    const noticed = entryOf(context, one.configuration.folder, { diagnostics: result.diagnostics });
    return { ...entry, result, diagnostics: [...entry.diagnostics, ...noticed.diagnostics] };
  });
}
