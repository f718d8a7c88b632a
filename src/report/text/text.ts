import type { Ending } from '../../model/apply-result.ts';
import { counted } from '../../model/text.ts';
import { groupBy } from '../../model/value.ts';
import type { ChangeView } from '../change-view.ts';
import { byAttention, jointAttention, jointFailures } from '../joint-view.ts';
import type { Paint, Style } from '../paint.ts';
import type { RenderOptions, Report } from '../report.ts';
import { type EntryView, type ReportView, reportView } from '../report-view.ts';
import { placeText } from '../words.ts';
import { fieldLines } from './change-text.ts';
import { diagnosticsText } from './diagnostics-text.ts';
import {
  actionStyles,
  droppedLines,
  heading,
  headLines,
  heldLines,
  indents,
  listLines,
  type PlannedEntryView,
  partLines,
  planText,
  riskLines,
  signs,
  type TextOptions,
  undeclaredText,
} from './plan-text.ts';

/** The complete report as text, for a file. On a terminal, diagnostics go to stderr instead. */
export function renderText(report: Report, renderOptions: RenderOptions): string {
  const options = { ...renderOptions, hint: '' };
  const view = reportView(report);
  if (view.kind === 'validate' || view.kind === 'export') return viewText(view, options);
  // The plan as printed before the apply.
  const plans = view.kind === 'apply' ? viewText(reportView({ ...report, kind: 'plan' }), options) : '';
  const parts = [plans, viewText(view, options), diagnosticsOf(view.entries, options.paint)];
  return parts.filter((part) => part !== '').join('\n');
}

/** The result, for stdout. For `apply` it leaves out the plan, which was printed before. */
export function resultText(report: Report, options: RenderOptions): string {
  return viewText(reportView(report), { ...options, hint: ' (--full lists them)' });
}

function viewText(view: ReportView, options: TextOptions): string {
  switch (view.kind) {
    case 'validate':
    case 'export':
      return diagnosticsOf(view.entries, options.paint);
    case 'apply': {
      const texts = view.entries.flatMap((entry) => entryTexts(entry, view, options));
      return texts.length === 0 ? '' : withTotals(view, [...jointTexts(view, options), ...texts]);
    }
    case 'plan':
    case 'drift':
    case 'report':
      return withTotals(view, [
        ...jointTexts(view, options),
        ...view.entries.flatMap((entry) => entryTexts(entry, view, options)),
      ]);
    default:
      return view.kind satisfies never;
  }
}

/** The longest title that others are aligned with. */
const maxTitle = 60;

/** What a report of several root files begins with. The plans that an apply prints first have the risks already. */
function jointTexts({ kind, isJoint, titles, entries }: ReportView, options: TextOptions): string[] {
  // A run without any plan ends with diagnostics only.
  if (!isJoint || entries.every((entry) => !entry.plan && entry.source === undefined)) return [];
  const isApply = kind === 'apply';
  const attention = riskLines(isApply ? jointFailures(entries) : jointAttention(entries), options, true);
  const rows = isApply ? [] : byAttention(entries);
  const width = (texts: readonly string[]) => Math.max(...texts.map((text) => text.length));
  const status = width(rows.map(({ statusText }) => statusText));
  const title = Math.min(maxTitle, width(rows.map((row) => row.title)));
  const overview = rows.map(
    (row) => `  ${row.statusText.padEnd(status)}  ${row.title.padEnd(title)}  ${row.summary}`,
  );
  return [
    ...(attention.length > 0 ? [attention.join('\n')] : []),
    ...(overview.length > 0 ? [`${[options.paint('bold', `${titles}:`), ...overview].join('\n')}\n`] : []),
  ];
}

/** What is shown of one root file; nothing where the overview and the diagnostics show all of it. */
function entryTexts(entry: EntryView, { isJoint }: ReportView, options: TextOptions): string[] {
  const { kind, plan } = entry;
  if (plan === undefined) return [];
  const planned = { ...entry, plan };
  switch (kind) {
    case 'drift':
      return [driftText(planned, isJoint, options)];
    case 'apply':
      return appliedTexts(planned, isJoint, options);
    default:
      return [planText(planned, isJoint, options)];
  }
}

function diagnosticsOf(entries: readonly EntryView[], paint: Paint): string {
  return entries.map(({ diagnostics }) => diagnosticsText(diagnostics, paint)).join('');
}

/** The text of each organization, and the sums of several as the last lines. */
function withTotals({ totals }: ReportView, texts: readonly string[]): string {
  return [...texts, ...(totals.length === 0 ? [] : [`${totals.join('\n')}\n`])].join('\n');
}

/** The comparison of a plan as live values against declared ones. */
function driftText(entry: PlannedEntryView, isJoint: boolean, options: TextOptions): string {
  const { plan, summary } = entry;
  const { paint } = options;
  const lines = headLines(entry, isJoint, options);
  const start = lines.length;
  const markOf = ({ action, word }: ChangeView) => `${paint(actionStyles[action], word.padEnd(10))}  `;
  const linesOf = (change: ChangeView) => {
    const place = change.place ? paint('dim', placeText(change.place)) : '';
    return [
      `  ${markOf(change)}${change.address.padEnd(43)}  ${place}`.trimEnd(),
      ...fieldLines(change, 'drift').map((line) => indents.drift + line),
    ];
  };
  const changes = partLines(plan, paint, (part) =>
    listLines(part, { kind: 'drift', markOf, linesOf }, options),
  );
  // Without a base, undeclared resources continue the list.
  const isCompared = plan.parts.some((part) => part.heading !== undefined);
  lines.push(...(isCompared ? changes : changes.slice(0, -1)), ...droppedLines(plan, paint));
  for (const one of plan.undeclared)
    lines.push(`  ${paint('cyan', 'undeclared')}  ${undeclaredText(one, 43, paint)}`);
  if (plan.undeclaredHint !== undefined) lines.push(`              Hint: ${plan.undeclaredHint}`);
  if (lines.length > start && lines.at(-1) !== '') lines.push('');
  lines.push(...heldLines(plan, 'drift', options));
  return `${[...lines, summary].join('\n')}\n`;
}

const outcomeStyles: Readonly<Record<Ending, Style>> = {
  done: 'green',
  failed: 'red',
  unknown: 'red',
  partial: 'red',
  skipped: 'yellow',
  held: 'yellow',
};

/** The outcome of each change, under the organization where there are several. */
function appliedTexts(entry: PlannedEntryView, isJoint: boolean, options: TextOptions): string[] {
  const { plan, source, summary } = entry;
  if (!plan.applied || (plan.changes.length === 0 && source === undefined)) return [];
  const head = isJoint ? [heading(entry, isJoint, options.paint), ''] : [];
  const lines = plan.changes.length === 0 ? [] : [...outcomeLines(plan.changes, options), ''];
  return [`${[...head, ...lines, summary].join('\n')}\n`];
}

/** A reason shared by several failed changes, such as a lost connection, is printed once. */
function outcomeLines(changes: readonly ChangeView[], options: TextOptions): string[] {
  const { paint } = options;
  const hasFailed = ({ outcome }: ChangeView) => outcome === 'failed' || outcome === 'partial';
  const byReason = groupBy(changes.filter(hasFailed), reasonOf);
  const markOf = ({ action, outcome = 'skipped' }: ChangeView) => {
    const word = paint(outcomeStyles[outcome], outcome.padEnd(7));
    return `${word}  ${paint(actionStyles[action], signs[action])} `;
  };
  const linesOf = (change: ChangeView) => {
    const { address, recovery, error } = change;
    const line = `  ${markOf(change)}${address}`;
    if (error === undefined) return recovery === undefined ? [line] : [line, indents.apply + recovery];
    const alike = hasFailed(change) ? (byReason.get(reasonOf(change)) ?? []) : [];
    if (alike.length > 1 && alike[0] !== change) return [line];
    const more =
      alike.length > 1 ? ` (${counted(alike.length - 1, 'more change')} failed for this reason)` : '';
    return [line, `${indents.apply}${error.message}${more}`];
  };
  return listLines(changes, { kind: 'apply', markOf, linesOf }, options);
}

/** The error without the request, which differs from change to change. */
function reasonOf(change: ChangeView): string {
  const { message = '', method = '', path = '' } = change.error ?? {};
  // The second segment of a path is an id or the organization; the rest is the endpoint.
  const endpoint = path.replace(/^(\/[^/]+\/)[^/?]+/, '$1*');
  return message.replace(`${method} ${path}`, `${method} ${endpoint}`);
}
