import { groupBy } from '../../model/value.ts';
import { byAttention, type EntryView } from '../entry-view.ts';
import type { Paint } from '../paint.ts';
import type { RenderOptions, Report, ReportKind } from '../report.ts';
import { type ReportView, reportView } from '../report-view.ts';
import type { Section, SectionName } from '../sections.ts';
import { diagnosticsText } from './diagnostics-text.ts';
import { sectionLines, type TextOptions } from './section-lines.ts';

/** The complete report as text, for a file. On a terminal, diagnostics go to stderr instead. */
export function renderText(report: Report, renderOptions: RenderOptions): string {
  const options = { ...renderOptions, hint: '' };
  const { kind, entries } = reportView(report);
  const all = entries.map(({ diagnostics }) => diagnosticsText(diagnostics, options.paint)).join('');
  // The plan as printed before the apply.
  const plans = kind === 'apply' ? viewText({ ...report, kind: 'plan' }, options) : '';
  const parts = [
    plans,
    ...(kind === 'validate' || kind === 'export' ? [] : [viewText(report, options)]),
    all,
  ];
  return parts.filter((part) => part !== '').join('\n');
}

/** The result, for stdout. For `apply` it leaves out the plan, which was printed before. */
export function resultText(report: Report, options: RenderOptions): string {
  return viewText(report, { ...options, hint: ' (--full lists them)' });
}

function viewText(report: Report, options: TextOptions): string {
  const view = reportView(report, options);
  const { kind, entries, sections, totals } = view;
  if (kind === 'validate' || kind === 'export')
    return entries.map(({ diagnostics }) => diagnosticsText(diagnostics, options.paint)).join('');
  const byRoot = groupBy(sections, ({ root }) => root);
  const texts = entries.flatMap((entry, root) => entryLines(entry, byRoot.get(root) ?? [], view, options));
  if (kind === 'apply' && texts.length === 0) return '';
  const all = [...jointLines(view, byRoot.get(undefined) ?? [], options), ...texts];
  return [...all, ...(totals.length === 0 ? [] : [totals])]
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
}

type Lines = readonly string[];

/** The longest title that others are aligned with. */
const maxTitle = 60;

/** What a report of several root files begins with. The plans that an apply prints first have it already, except for failures. */
function jointLines(
  { kind, isJoint, titles, entries }: ReportView,
  sections: readonly Section[],
  options: TextOptions,
): Lines[] {
  // A run without any plan ends with diagnostics only.
  if (!isJoint || entries.every((entry) => !entry.plan && entry.source === undefined)) return [];
  const attention = sections.map((section) => ({
    ...section,
    items: section.items.filter(({ rule }) => kind !== 'apply' || rule === 'root-file'),
  }));
  const lines = sectionLines(
    attention.filter(({ items }) => items.length > 0),
    'plan',
    { ...options, isJoint },
  );
  const first = lines.length > 0 ? [lines.slice(0, -1)] : [];
  if (kind === 'apply') return first;
  const rows = byAttention(entries);
  const width = (texts: readonly string[]) => Math.max(...texts.map((text) => text.length));
  const status = width(rows.map(({ statusText }) => statusText));
  const title = Math.min(maxTitle, width(rows.map((row) => row.title)));
  const overview = rows.map(
    (row) => `  ${row.statusText.padEnd(status)}  ${row.title.padEnd(title)}  ${row.summary}`,
  );
  return [...first, [options.paint('bold', `${titles}:`), ...overview]];
}

/** What is shown of one root file; nothing where the overview and the diagnostics show all of it. */
function entryLines(
  entry: EntryView,
  sections: readonly Section[],
  { isJoint }: ReportView,
  options: TextOptions,
): Lines[] {
  const { kind, plan, source, summary } = entry;
  if (plan === undefined) return [];
  const isApply = kind === 'apply';
  if (isApply && (!plan.applied || (plan.changes.length === 0 && source === undefined))) return [];
  const head = isApply && !isJoint ? [] : [heading(entry, isJoint, options.paint), ''];
  const listed = sections.filter(({ name }) => !leftOut[kind].includes(name));
  // What a user looks for after an apply is close to the summary.
  const isLast = ({ items }: Section) => isApply && items.some(({ sign }) => sign === '!');
  const shown = [...listed.filter((one) => !isLast(one)), ...listed.filter(isLast)];
  const nothing = kind === 'plan' && plan.changes.length === 0 ? [plan.nothing] : [];
  return [[...head, ...sectionLines(shown, kind, { ...options, isJoint }), ...nothing, summary]];
}

/** The plan is printed before the result of apply, and diagnostics go to stderr. */
const leftOut: Readonly<Record<ReportKind, readonly SectionName[]>> = {
  validate: [],
  export: [],
  plan: ['diagnostics'],
  drift: ['diagnostics', 'effects'],
  apply: ['diagnostics', 'attention', 'dropped', 'undeclared', 'held', 'effects'],
};

/** The organization and its service, after the root file if there are several. */
function heading({ title, plan, organization }: EntryView, isJoint: boolean, paint: Paint): string {
  const name = organization ?? '';
  if (!isJoint || title === organization) return `${paint('bold', name)}  ${plan?.address}`;
  return `${paint('bold', title)}  ${name}  ${plan?.address}`;
}
