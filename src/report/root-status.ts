import { isMade } from '../model/apply-result.ts';
import { hasErrors } from '../model/diagnostic.ts';
import { hasDifference, type Plan, sentChanges } from '../model/plan.ts';
import type { ReportEntry, ReportKind } from './report.ts';
import { hasDrift } from './summaries.ts';

/** How much a root file of a report needs attention: the most urgent first. */
const rootStatuses = ['failed', 'errors', 'risks', 'differences', 'same'] as const;
export type RootStatus = (typeof rootStatuses)[number];

/** `failed` has no plan, or an apply that is not complete; `errors` has a plan that is refused. */
export function rootStatus(
  kind: ReportKind,
  { plan, result, diagnostics }: ReportEntry,
  hasRisks: boolean,
): RootStatus {
  const isRefused = hasErrors(diagnostics);
  if (plan === undefined && result === undefined) return isRefused ? 'failed' : 'same';
  const applied = kind === 'apply' ? (result?.changes ?? []) : [];
  if (applied.some((change) => !isMade(change))) return 'failed';
  if (isRefused) return 'errors';
  if (hasRisks) return 'risks';
  const shown = plan ?? result?.plan;
  return shown && differs(kind, shown) ? 'differences' : 'same';
}

function differs(kind: ReportKind, plan: Plan): boolean {
  if (kind === 'drift') return hasDrift(plan);
  return kind === 'apply' ? sentChanges(plan.changes).length > 0 : hasDifference(plan);
}

/** The status in the words of a report. */
export function statusText(kind: ReportKind, status: RootStatus, hasPlan: boolean): string {
  switch (status) {
    case 'failed':
      return hasPlan ? 'incomplete' : 'failed';
    case 'errors':
      return 'errors';
    case 'risks':
      return 'needs attention';
    case 'differences':
      return { drift: 'drift', apply: 'applied' }[String(kind)] ?? 'changes';
    case 'same':
      if (!hasPlan) return 'no errors';
      return kind === 'drift' ? 'no drift' : 'no changes';
    default:
      return status satisfies never;
  }
}

/** The root files, those that need attention most urgently first. */
export function byAttention<Entry extends { readonly status: RootStatus }>(
  entries: readonly Entry[],
): readonly Entry[] {
  return [...entries].sort((a, b) => rootStatuses.indexOf(a.status) - rootStatuses.indexOf(b.status));
}
