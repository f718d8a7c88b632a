import { renderApplyText } from './apply-text.ts';
import { renderDiagnostics } from './diagnostics-text.ts';
import { renderDriftText } from './drift-text.ts';
import type { Paint } from './paint.ts';
import { coloured } from './paint.ts';
import { heading, renderPlanText } from './plan-text.ts';
import type { RenderOptions, Report } from './report.ts';

/** All of a report in one text: for a file. A terminal gets the result on stdout and the diagnostics beside it. */
export function renderText(report: Report, options: RenderOptions): string {
  if (report.kind === 'validate') return resultText(report, options);
  const plans = report.kind === 'apply' ? planTexts(report, options.paint) : '';
  const parts = [plans, resultText(report, options), diagnosticsText(report, options)];
  return parts.filter((part) => part !== '').join('\n');
}

/** The result alone: what stdout carries. For `apply` the plan is not in it, which was shown before. */
export function resultText(report: Report, { paint }: RenderOptions): string {
  switch (report.kind) {
    case 'validate':
      return diagnosticsText(report, { paint });
    case 'plan':
      return planTexts(report, paint);
    case 'drift':
      return report.entries.flatMap(({ plan }) => (plan ? [renderDriftText(plan, paint)] : [])).join('\n');
    case 'apply':
      return applyTexts(report, paint);
    default:
      return report.kind satisfies never;
  }
}

function diagnosticsText({ entries }: Report, { paint }: RenderOptions): string {
  return entries
    .map(({ diagnostics, path }) => renderDiagnostics(diagnostics, { path, color: paint === coloured }))
    .join('');
}

function planTexts({ entries }: Report, paint: Paint): string {
  return entries.flatMap(({ plan }) => (plan ? [renderPlanText(plan, paint)] : [])).join('\n');
}

/** What became of each change, under the organization where there are several. */
function applyTexts({ entries }: Report, paint: Paint): string {
  const results = entries.flatMap(({ result }) => (result && result.changes.length > 0 ? [result] : []));
  return results
    .map((result) => {
      const text = renderApplyText(result, paint);
      return entries.length > 1 ? `${heading(result.plan, paint)}\n\n${text}` : text;
    })
    .join('\n');
}
