import type { Paint } from '../paint.ts';
import { coloured } from '../paint.ts';
import type { RenderOptions, Report } from '../report.ts';
import { renderApplyText } from './apply-text.ts';
import { renderDiagnostics } from './diagnostics-text.ts';
import { renderDriftText } from './drift-text.ts';
import { heading, renderPlanText } from './plan-text.ts';
import { totalText } from './summary-text.ts';

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
      return withTotal(
        report,
        report.entries.flatMap(({ plan }) => (plan ? [renderDriftText(plan, paint)] : [])),
      );
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
  return withTotal(
    { kind: 'plan', entries },
    entries.flatMap(({ plan }) => (plan ? [renderPlanText(plan, paint)] : [])),
  );
}

/** What became of each change, under the organization where there are several. */
function applyTexts(report: Report, paint: Paint): string {
  const { entries } = report;
  const results = entries.flatMap(({ result }) => (result && result.changes.length > 0 ? [result] : []));
  const texts = results.map((result) => {
    const text = renderApplyText(result, paint);
    return entries.length > 1 ? `${heading(result.plan, paint)}\n\n${text}` : text;
  });
  return texts.length === 0 ? '' : withTotal(report, texts);
}

/** The text of each organization, and the sum of several as the last line. */
function withTotal(report: Report, texts: readonly string[]): string {
  const total = totalText(report);
  return [...texts, ...(total === undefined ? [] : [`${total}\n`])].join('\n');
}
