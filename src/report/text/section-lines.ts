import type { Ending } from '../../model/apply-result.ts';
import type { Action } from '../../model/change.ts';
import { counted } from '../../model/text.ts';
import { groupBy } from '../../model/value.ts';
import { type ChangeView, signs } from '../change-view.ts';
import { limited } from '../findings.ts';
import type { Item } from '../items.ts';
import type { Paint, Style } from '../paint.ts';
import type { RenderOptions, ReportKind } from '../report.ts';
import type { Section } from '../sections.ts';
import { lineWith, placeText } from '../words.ts';

/** How a report looks as text. */
export interface TextOptions extends RenderOptions {
  /** The end of a line that only counts the rest; empty in a file, because its readers cannot pass a flag. */
  readonly hint: string;
}

/** The maximum of risks of one kind that are listed for one root file, and of other items; `--full` lists all. */
const maxRisks = 5;
const maxItems = 20;

interface SectionLineOptions extends TextOptions {
  readonly isJoint: boolean;
}

/** Sections with an empty line after each; changes without a base, and what is undeclared in a drift report, have no title. */
export function sectionLines(
  sections: readonly Section[],
  kind: ReportKind,
  options: SectionLineOptions,
): string[] {
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
