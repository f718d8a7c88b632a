import type { Ending } from '../../model/apply-result.ts';
import type { Action } from '../../model/change.ts';
import { counted } from '../../model/text.ts';
import { groupBy } from '../../model/value.ts';
import type { ChangeView } from '../change-view.ts';
import { signs } from '../change-view.ts';
import type { EntryView } from '../entry-view.ts';
import { limited } from '../findings.ts';
import type { Item } from '../items.ts';
import type { Paint, Style } from '../paint.ts';
import type { RenderOptions, Report, ReportKind } from '../report.ts';
import { type ReportView, reportView } from '../report-view.ts';
import { byAttention } from '../root-status.ts';
import type { Section, SectionName } from '../sections.ts';
import { lineWith, placeText } from '../words.ts';
import { diagnosticsText } from './diagnostics-text.ts';

interface TextOptions extends RenderOptions {
  /** The end of a line that only counts the rest; empty in a file, because its readers cannot pass a flag. */
  readonly hint: string;
}

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

/** The maximum of risks of one kind that are listed for one root file, and of other items; `--full` lists all. */
const maxRisks = 5;
const maxItems = 20;

interface SectionLineOptions extends TextOptions {
  readonly isJoint: boolean;
}

/** Sections with an empty line after each; changes without a base, and what is undeclared in a drift report, have no title. */
function sectionLines(sections: readonly Section[], kind: ReportKind, options: SectionLineOptions): string[] {
  const { paint, full = false, hint, isJoint } = options;
  const hasTitle = ({ name }: Section) =>
    name !== 'changes' &&
    (kind !== 'drift' || name !== 'undeclared') &&
    (kind !== 'apply' || name !== 'part');
  const below = reasons(sections);
  return sections.flatMap((section, index) => {
    const { name, title, notes } = section;
    const isList = name === 'changes' || name === 'part' || name === 'dropped' || name === 'undeclared';
    const most =
      full || isList ? Number.POSITIVE_INFINITY : name === 'attention' && !isJoint ? maxRisks : maxItems;
    const items = limited(section.items, most, hint);
    const lines = items.flatMap((item) =>
      itemLines(item, kind, { ...options, below, isTitled: hasTitle(section) }),
    );
    const next = sections[index + 1];
    const isContinued = next !== undefined && !hasTitle(section) && !hasTitle(next);
    return [
      ...(items.length > 0 && hasTitle(section) ? [paint('bold', `${title}:`)] : []),
      ...lines,
      ...notes.map((note) => `  ${note}`),
      ...(isContinued || lines.length + notes.length === 0 ? [] : ['']),
    ];
  });
}

interface ItemOptions extends TextOptions {
  /** The lines below a change that was not made. */
  readonly below: (change: ChangeView) => readonly string[];
  readonly isTitled: boolean;
}

/** Where the lines below an item start. */
const indents: Readonly<Record<ReportKind, number>> = {
  validate: 6,
  export: 6,
  plan: 6,
  drift: 16,
  apply: 13,
};

function itemLines(item: Item, kind: ReportKind, { paint, below, isTitled }: ItemOptions): string[] {
  const { head, detail, place, risk, change, group } = item;
  const shown = change ?? group?.members[0];
  const isApplied = kind === 'apply';
  if (change?.isContinued && isApplied) return [];
  const mark = markOf(item, shown, kind, paint, isTitled);
  const where = place && !group && !isApplied ? paint('dim', placeText(place)) : undefined;
  const what = detail !== undefined && change ? paint('dim', detail) : detail;
  const right = isApplied ? [] : [risk?.root, what, where];
  const line = lineWith(head, right, mark === '' ? 45 : undefined);
  const rest = isApplied && change ? below(change) : item.rest;
  const indent = ' '.repeat(shown ? indents[kind] : 4);
  return [`  ${mark}${line}`, ...rest.map((text) => indent + text)];
}

const actionStyles: Readonly<Record<Action, Style>> = { create: 'green', update: 'yellow', delete: 'red' };
const outcomeStyles: Readonly<Record<Ending, Style>> = {
  done: 'green',
  failed: 'red',
  unknown: 'red',
  partial: 'red',
  skipped: 'yellow',
  held: 'yellow',
};

/** The sign of an item; the word of a difference, or the outcome of a change. */
function markOf(
  { sign, risk, rule }: Item,
  change: ChangeView | undefined,
  kind: ReportKind,
  paint: Paint,
  isTitled: boolean,
): string {
  if (change === undefined) {
    if (rule === 'undeclared' && !isTitled) return `${paint('cyan', 'undeclared')}  `;
    const style = risk === undefined ? 'dim' : risk.level === 'high' ? 'red' : 'yellow';
    return sign === '' ? '' : `${paint(style, sign)} `;
  }
  const { action, word, outcome = 'skipped' } = change;
  const style = actionStyles[action];
  if (kind === 'drift') return `${paint(style, word.padEnd(10))}  `;
  const result = kind === 'apply' ? `${paint(outcomeStyles[outcome], outcome.padEnd(7))}  ` : '';
  return `${result}${paint(style, signs[action])} `;
}

/** Why changes were not made. A reason that several failed changes share, such as a lost connection, is printed once. */
function reasons(sections: readonly Section[]): (change: ChangeView) => readonly string[] {
  const changes = sections.flatMap(({ items }) => items.flatMap(({ change }) => change ?? []));
  const hasFailed = ({ outcome }: ChangeView) => outcome === 'failed' || outcome === 'partial';
  const byReason = groupBy(changes.filter(hasFailed), reasonOf);
  return (change) => {
    const { recovery, error } = change;
    if (error === undefined) return recovery === undefined ? [] : [recovery];
    const alike = hasFailed(change) ? (byReason.get(reasonOf(change)) ?? []) : [];
    if (alike.length < 2) return [error.message];
    if (alike[0] !== change) return [];
    return [`${error.message} (${counted(alike.length - 1, 'more change')} failed for this reason)`];
  };
}

/** The error without the request, which differs from change to change. */
function reasonOf(change: ChangeView): string {
  const { message = '', method = '', path = '' } = change.error ?? {};
  // The second segment of a path is an id or the organization; the rest is the endpoint.
  const endpoint = path.replace(/^(\/[^/]+\/)[^/?]+/, '$1*');
  return message.replace(`${method} ${path}`, `${method} ${endpoint}`);
}
