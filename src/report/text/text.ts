import { groupBy } from '../../model/value.ts';
import { type Item, itemLines, limited } from '../items.ts';
import { alignedRows, wrapped } from '../paint.ts';
import type { RenderOptions, Report, ReportKind } from '../report.ts';
import { byAttention, type EntryView, type ReportView, reportView } from '../report-view.ts';
import type { Section, SectionName } from '../sections.ts';
import { placedDiagnostics, renderDiagnostics } from './diagnostics-text.ts';

/** The end of a line that only counts the rest. */
const hint = ' (--full lists them)';

/** The complete report as text, for a file. On a terminal, diagnostics go to stderr instead. */
export function renderText(report: Report, options: RenderOptions): string {
  // The plan as printed before the apply.
  const plans = hasBegun(report) ? viewText({ ...report, kind: 'plan' }, options) : '';
  const all =
    report.kind === 'validate' ? '' : renderDiagnostics(placedDiagnostics(report.entries), options.paint);
  return [plans, viewText(report, options), all].filter((part) => part !== '').join('\n');
}

export function resultText(report: Report, options: RenderOptions): string {
  if (report.kind === 'apply' && !hasBegun(report)) return '';
  return wrapped(viewText(report, options), options.width);
}

/** An apply that is refused adds nothing to the plan that it has printed. */
function hasBegun({ kind, entries }: Report): boolean {
  return kind === 'apply' && entries.some(({ result }) => result !== undefined);
}

function viewText(report: Report, options: RenderOptions): string {
  if (report.kind === 'validate') return renderDiagnostics(placedDiagnostics(report.entries), options.paint);
  const view = reportView(report, { ...options, hint, reasonsOnly: true });
  const { sections, entries, totals } = view;
  const byRoot = groupBy(sections, ({ root }) => root);
  const own = entries.flatMap((entry, root) => entryBlocks(entry, byRoot.get(root) ?? [], view, options));
  if (report.kind === 'apply' && own.length === 0) return '';
  const blocks = [...jointBlocks(view, byRoot.get(undefined) ?? [], options), ...own, totals].filter(
    (lines) => lines.length > 0,
  );
  if (blocks.length === 0) return '';
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** Lines with an empty line before and after them. */
type Block = readonly string[];

/** What a report of several root files begins with. The plans that an apply prints first have it already, except for failures. */
function jointBlocks(view: ReportView, sections: readonly Section[], options: RenderOptions): Block[] {
  const { kind, isJoint, isRefused, titles, entries } = view;
  // A run without any plan ends with diagnostics only.
  if (!isJoint || entries.every(({ address, source }) => address === undefined && source === undefined))
    return [];
  const isResult = kind === 'apply' && !isRefused;
  const isNews = ({ rule }: Item) => !isResult || rule === 'root-file';
  const attention = sections.map((section) => ({ ...section, items: section.items.filter(isNews) }));
  const blocks = sectionBlocks(
    attention.filter(({ items }) => items.length > 0),
    { ...options, most: maxItems },
  );
  if (isResult) return blocks;
  const overview = alignedRows(
    byAttention(entries).map(({ statusText, title, summary }) => [`  ${statusText}`, title, summary]),
  );
  return [...blocks, [options.paint('bold', `${titles}:`), ...overview]];
}

/** Diagnostics go to stderr, and the plan of an apply was printed before. */
const leftOut: Readonly<Record<ReportKind, readonly SectionName[]>> = {
  validate: [],
  plan: ['diagnostics', 'permissions'],
  drift: ['diagnostics', 'permissions', 'effects'],
  apply: ['diagnostics', 'permissions', 'attention', 'dropped', 'undeclared', 'held', 'effects'],
};

function entryBlocks(
  entry: EntryView,
  sections: readonly Section[],
  { isJoint }: ReportView,
  options: RenderOptions,
): Block[] {
  const { kind, title, organization = '', address, source, changes, nothing, summary } = entry;
  if (address === undefined) return [];
  const isApply = kind === 'apply';
  if (isApply && changes === 0 && source === undefined) return [];
  const shown = sections
    .filter(({ name }) => !leftOut[kind].includes(name))
    // What a user looks for after an apply is close to the summary.
    .sort((a, b) => Number(isApply && a.name === 'failed') - Number(isApply && b.name === 'failed'));
  const isTitled = isJoint && title !== organization;
  const names = [options.paint('bold', isTitled ? title : organization), ...(isTitled ? [organization] : [])];
  return [
    isApply && !isJoint ? [] : [[...names, address].join('  ')],
    ...sectionBlocks(shown, { ...options, most: isJoint ? maxItems : maxRisks, isPlan: kind === 'plan' }),
    [...(kind === 'plan' && changes === 0 ? [String(nothing)] : []), summary],
  ];
}

/** The maximum of risks of one kind that are listed for one root file, and of other items; `--full` lists all. */
const maxRisks = 5;
const maxItems = 20;

/** On a narrower terminal, a place has a separate line. */
const narrow = 80;

function sectionBlocks(
  sections: readonly Section[],
  options: RenderOptions & { readonly most: number; readonly isPlan?: boolean },
): Block[] {
  const { paint, full, width = narrow, most, isPlan = false } = options;
  const isUntitled = ({ name }: Section) => isPlan && name === 'changes';
  const blocks = groupBy(sections, (section) => (isUntitled(section) ? 'changes' : section));
  return [...blocks.values()].map((same) =>
    same.flatMap((section) => {
      const { name, title, items, notes = [] } = section;
      const isLimited = name === 'attention' || name === 'held' || name === 'effects';
      const listed =
        full || !isLimited ? items : limited(items, name === 'attention' ? most : maxItems, hint);
      const lines = [...listed.flatMap((item) => itemLines(item, paint, width < narrow)), ...notes];
      const head = isUntitled(section) || items.length === 0 ? [] : [paint('bold', `${title}:`)];
      return [...head, ...lines.map((line) => `  ${line}`)];
    }),
  );
}
