import type { Ending } from '../../model/apply-result.ts';
import { counted } from '../../model/text.ts';
import { groupBy } from '../../model/value.ts';
import { type ChangeGroup, groupChanges, isGroup } from '../change-groups.ts';
import { type ChangeView, driftWords } from '../change-view.ts';
import type { Paint, Style } from '../paint.ts';
import type { RenderOptions, Report } from '../report.ts';
import { type EntryView, type PlanView, type ReportView, reportView } from '../report-view.ts';
import { driftLines, failureText } from './change-text.ts';
import { diagnosticsText } from './diagnostics-text.ts';
import { groupText } from './group-text.ts';
import { actionStyles, heading, planText, signs } from './plan-text.ts';
import { riskLines } from './risk-text.ts';

/** The complete report as text, for a file. On a terminal, diagnostics go to stderr instead. */
export function renderText(report: Report, options: RenderOptions): string {
  const view = reportView(report);
  if (view.kind === 'validate' || view.kind === 'export') return viewText(view, options);
  // The plan as printed before the apply.
  const plans = view.kind === 'apply' ? viewText(reportView({ ...report, kind: 'plan' }), options) : '';
  const parts = [plans, viewText(view, options), allDiagnostics(view, options.paint)];
  return parts.filter((part) => part !== '').join('\n');
}

/** The result, for stdout. For `apply` it leaves out the plan, which was printed before. */
export function resultText(report: Report, options: RenderOptions): string {
  return viewText(reportView(report), options);
}

function viewText(view: ReportView, options: RenderOptions): string {
  switch (view.kind) {
    case 'validate':
    case 'export':
      return allDiagnostics(view, options.paint);
    case 'apply': {
      const texts = view.entries.flatMap((entry) => entryTexts(entry, view, options));
      return texts.length === 0 ? '' : withTotals(view, texts);
    }
    case 'plan':
    case 'drift':
    case 'report':
      return withTotals(
        view,
        view.entries.flatMap((entry) => entryTexts(entry, view, options)),
      );
    default:
      return view.kind satisfies never;
  }
}

/** What is shown of one root file; nothing where the diagnostics show all of it. */
function entryTexts(entry: EntryView, view: ReportView, options: RenderOptions): string[] {
  const { kind, plan, source, summary } = entry;
  if (plan === undefined)
    return source === undefined ? [] : [`${options.paint('bold', source)}\n\n${summary}\n`];
  switch (kind) {
    case 'drift':
      return [driftText(plan, summary, options)];
    case 'apply':
      return appliedTexts(entry, view, options);
    default:
      return [planText(plan, summary, options)];
  }
}

function allDiagnostics({ entries }: ReportView, paint: Paint): string {
  return entries.map(({ diagnostics }) => diagnosticsText(diagnostics, paint)).join('');
}

/** The text of each organization, and the sums of several as the last lines. */
function withTotals({ totals }: ReportView, texts: readonly string[]): string {
  return [...texts, ...(totals.length === 0 ? [] : [`${totals.join('\n')}\n`])].join('\n');
}

/** The comparison of a plan as live values against declared ones. */
function driftText(plan: PlanView, summary: string, { paint, full = false }: RenderOptions): string {
  const lines = [heading(plan, paint), '', ...riskLines(plan.risks, paint, full)];
  const start = lines.length;
  for (const item of groupChanges(plan.changes, { full }))
    lines.push(...(isGroup(item) ? driftGroupLines(item, paint) : driftChangeLines(item, paint)));
  for (const address of plan.undeclared) lines.push(`  ${paint('cyan', 'undeclared')}  ${address}`);
  if (lines.length > start) lines.push('');
  return `${[...lines, summary].join('\n')}\n`;
}

function driftGroupLines(group: ChangeGroup, paint: Paint): string[] {
  const { head, rest } = groupText(group, 'drift');
  return [
    `  ${paint(actionStyles.update, driftWords.update.padEnd(10))}  ${head}`,
    ...rest.map((line) => `                ${line}`),
  ];
}

function driftChangeLines(change: ChangeView, paint: Paint): string[] {
  const { action, address, word, location } = change;
  const place = location ? paint('dim', `${location.file}:${location.line}`) : '';
  return [
    `  ${paint(actionStyles[action], word.padEnd(10))}  ${address.padEnd(43)}  ${place}`.trimEnd(),
    ...driftLines(change).map((line) => `                ${line}`),
  ];
}

const outcomeStyles: Readonly<Record<Ending, Style>> = {
  done: 'green',
  failed: 'red',
  unknown: 'red',
  interrupted: 'red',
  skipped: 'yellow',
};

/** The outcome of each change, under the organization where there are several. */
function appliedTexts(
  { plan, source, summary }: EntryView,
  { entries }: ReportView,
  { paint, full = false }: RenderOptions,
): string[] {
  if (!plan?.applied || (plan.changes.length === 0 && source === undefined)) return [];
  const head = entries.length > 1 ? [heading(plan, paint), ''] : [];
  const lines = plan.changes.length === 0 ? [] : [...outcomeLines(plan.changes, paint, full), ''];
  return [`${[...head, ...lines, summary].join('\n')}\n`];
}

/** A reason shared by several failed changes, such as a lost connection, is printed once. */
function outcomeLines(changes: readonly ChangeView[], paint: Paint, full: boolean): string[] {
  const failed = changes.filter(({ outcome }) => outcome === 'failed');
  const byReason = groupBy(failed, reasonOf);
  return groupChanges(changes, { full }).flatMap((item) => {
    if (isGroup(item)) return outcomeGroupLines(item, paint);
    const change = item;
    const { outcome = 'skipped', action, address, recovery, error } = change;
    const word = paint(outcomeStyles[outcome], outcome.padEnd(7));
    const line = `  ${word}  ${paint(actionStyles[action], signs[action])} ${address}`;
    if (error === undefined) return recovery === undefined ? [line] : [line, `             ${recovery}`];
    const alike = outcome === 'failed' ? (byReason.get(reasonOf(change)) ?? []) : [];
    if (alike.length > 1 && alike[0] !== change) return [line];
    const more =
      alike.length > 1 ? ` (${counted(alike.length - 1, 'more change')} failed for this reason)` : '';
    return [line, `             ${failureText(change)}${more}`];
  });
}

function outcomeGroupLines(group: ChangeGroup, paint: Paint): string[] {
  const { head, rest } = groupText(group, 'apply');
  const word = paint(outcomeStyles.done, 'done'.padEnd(7));
  return [
    `  ${word}  ${paint(actionStyles.update, signs.update)} ${head}`,
    ...rest.map((line) => `             ${line}`),
  ];
}

/** The error without the request, which differs from change to change. */
function reasonOf(change: ChangeView): string {
  const { method = '', path = '' } = change.error ?? {};
  // The second segment of a path is an id or the organization; the rest is the endpoint.
  const endpoint = path.replace(/^(\/[^/]+\/)[^/?]+/, '$1*');
  return failureText(change).replace(`${method} ${path}`, `${method} ${endpoint}`);
}
