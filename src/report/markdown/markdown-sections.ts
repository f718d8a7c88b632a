import type { Severity } from '../../model/diagnostic.ts';
import { groupBy } from '../../model/group-by.ts';
import type { Report, ReportEntry } from '../report.ts';
import { renderDiagnostics } from '../text/diagnostics-text.ts';
import { moveLines, stateAccessLines, teamAccessLines } from '../text/effects-text.ts';
import { signs } from '../text/plan-text.ts';
import { totalText } from '../text/summary-text.ts';
import { placeText, type ToldChange, type ToldEntry, toldEntry } from '../told-entry.ts';
import { codeSpan, shortened } from './markdown-text.ts';

/** One part of a comment: what is in it, and how it is shown. */
export interface Section {
  readonly title: string;
  /** Empty where one organization is all there is. */
  readonly organization: string;
  /** Shown at once, and cut last. */
  readonly important: boolean;
  readonly style: 'diff' | 'text' | 'list';
  readonly items: readonly Item[];
}

export interface Item {
  readonly head: string;
  readonly rest: readonly string[];
}

/** The part that stands first, without a heading of its own. */
export const overallTitle = 'Organizations';

/** All parts of a report, the most important first. */
export function sectionsOf({ kind, entries }: Report): Section[] {
  const told = entries.map((entry) => ({ entry, told: toldEntry(kind, entry) }));
  const total = totalText({ kind, entries });
  const totals = total === undefined ? [] : [`**${total}**`];
  const overall: Section = {
    title: overallTitle,
    organization: '',
    important: true,
    style: 'list',
    items: [...told.map((one) => summaryLine(one.told)), ...totals].map((head) => ({ head, rest: [] })),
  };
  const parts = told.map((one) => entrySections(kind, one.entry, one.told));
  // By importance first, so that no organization's updates stand before another's deletions.
  const ranks = parts[0]?.map((_, rank) => parts.flatMap((part) => part[rank] ?? [])) ?? [];
  return [overall, ...ranks.flat()]
    .filter(({ items }) => items.length > 0)
    .map((section) => (entries.length > 1 ? section : { ...section, organization: '' }));
}

function summaryLine({ organization, plan, summary }: ToldEntry): string {
  const who = plan ? `**${codeSpan(organization)}** (${codeSpan(shortened(plan.address))}): ` : '';
  return who + summary;
}

/** As many parts for every entry, those without items too. */
function entrySections(kind: Report['kind'], entry: ReportEntry, told: ToldEntry): Section[] {
  const { organization, changes, undeclared } = told;
  const words = titles[kind];
  const of = (choose: (change: ToldChange) => boolean) => changes.filter(choose).map(changeItem);
  // What was not done is told under what became of it.
  const ended = ({ outcome }: ToldChange) => outcome === undefined || outcome === 'done';
  const style = kind === 'drift' ? 'text' : 'diff';
  const part = (title: string, items: readonly Item[], shown: Partial<Section> = {}): Section => {
    return { title, organization, important: false, style, items, ...shown };
  };
  const important = { important: true };
  return [
    part('Errors', diagnosticItems(entry, ['error']), { ...important, style: 'text' }),
    part(
      'Failed',
      of(({ outcome }) => outcome === 'failed'),
      important,
    ),
    part(
      words.delete,
      of((change) => change.action === 'delete' && ended(change)),
      important,
    ),
    part(words.access, accessItems(told), { ...important, style: 'list' }),
    part(
      'Skipped',
      of(({ outcome }) => outcome === 'skipped'),
    ),
    part('Warnings and notes', diagnosticItems(entry, ['warning', 'note']), { style: 'text' }),
    part(
      words.update,
      of((change) => change.action === 'update' && ended(change)),
    ),
    part(
      words.create,
      of((change) => change.action === 'create' && ended(change)),
    ),
    part('Undeclared', undeclared.map(changeItem), { style: 'text' }),
  ];
}

const planned = {
  create: 'To create',
  update: 'To update',
  delete: 'To delete',
  access: 'Changes of access',
};

const titles: Readonly<Record<Report['kind'], typeof planned>> = {
  validate: planned,
  plan: planned,
  drift: {
    create: 'Missing',
    update: 'Changed',
    delete: 'Surplus',
    access: 'What access will be once all is as declared',
  },
  apply: {
    create: 'Created',
    update: 'Updated',
    delete: 'Deleted',
    access: 'Changes of access, as planned',
  },
};

function changeItem({ action, outcome, title, lines, place }: ToldChange): Item {
  const sign = outcome === 'failed' || outcome === 'skipped' ? '!' : action === 'none' ? '?' : signs[action];
  return {
    head: shortened(`${sign} ${title}  ${placeText(place)}`.trimEnd()),
    rest: lines.map((line) => shortened(`    ${line}`)),
  };
}

function diagnosticItems({ diagnostics, path }: ReportEntry, severities: readonly Severity[]): Item[] {
  return diagnostics
    .filter(({ severity }) => severities.includes(severity))
    .map((diagnostic) => {
      const [head = '', ...rest] = renderDiagnostics([diagnostic], { path }).trimEnd().split('\n');
      return { head: shortened(head), rest: rest.map((line) => shortened(line)) };
    });
}

/** A change of access to one workspace's state is told by its first names; the rest is a count. */
const longestList = 20;

function accessItems({ plan }: ToldEntry): Item[] {
  if (plan === undefined) return [];
  const options = { names: longestList, quote: (text: string) => codeSpan(shortened(text)) };
  const lines = [
    ...teamAccessLines(plan.changes, options),
    ...stateAccessLines(plan.effects, options),
    ...moveLines(plan.effects, options),
  ];
  let count = 0;
  const items = groupBy(lines, (line) => (line.startsWith('  ') ? count : ++count));
  return [...items.values()].map(([head = '', ...rest]) => ({ head, rest }));
}
