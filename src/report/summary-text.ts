import type { ApplyResult, Outcome } from '../model/apply-result.ts';
import type { Action } from '../model/change.ts';
import type { Plan } from '../model/plan.ts';
import { counted } from './counted.ts';
import type { Report, ReportEntry } from './report.ts';

/** The one sentence that every format has for an entry. */
export function summaryText(kind: Report['kind'], { plan, result, diagnostics }: ReportEntry): string {
  if (kind === 'apply' && result) return appliedSummary(result);
  if (plan) return kind === 'drift' ? driftSummary(plan) : plannedSummary(plan);
  const count = (severity: string) => diagnostics.filter((one) => one.severity === severity).length;
  const parts = (['error', 'warning', 'note'] as const).map((severity) => counted(count(severity), severity));
  return `${kind === 'validate' ? 'Checked' : 'Failed before there was a plan'}: ${parts.join(', ')}.`;
}

export function plannedSummary({ summary }: Plan): string {
  return `Plan: ${summary.create} to create, ${summary.update} to update, ${summary.delete} to delete, ${summary.unchanged} unchanged. ${counted(summary.calls, 'call')}.`;
}

export function driftSummary({ summary: counts, unmanaged, changes }: Plan): string {
  if (changes.length + unmanaged.length === 0) {
    return `No drift: ${counted(counts.unchanged, 'declared resource')} as declared.`;
  }
  const parts = [
    `${counts.create} missing`,
    `${counts.update} changed`,
    `${counts.delete} surplus`,
    `${unmanaged.length} undeclared`,
    `${counts.unchanged} as declared`,
  ];
  return `Drift: ${parts.join(', ')}.`;
}

export function appliedSummary({ changes }: ApplyResult): string {
  const done = (action: Action) =>
    changes.filter((change) => change.result === 'done' && change.action === action).length;
  const ended = (result: Outcome) => changes.filter((change) => change.result === result).length;
  const calls = changes.reduce((sum, change) => sum + change.callsDone, 0);
  const failures =
    ended('failed') + ended('skipped') > 0 ? `, ${ended('failed')} failed, ${ended('skipped')} skipped` : '';
  return `Applied: ${done('create')} created, ${done('update')} updated, ${done('delete')} deleted${failures}. ${counted(calls, 'call')}.`;
}
