import { severities } from '../model/diagnostic.ts';
import type { Item } from './items.ts';
import type { ReportView } from './report-view.ts';
import { shownLine } from './values.ts';

/*
 * What formats that list findings at lines of files show of the sections: each change and diagnostic once, with why it
 * needs attention.
 */

export function findingsOf({ sections, entries }: ReportView, root: number): readonly Item[] {
  const { failed, source } = entries[root] ?? {};
  // The reason of a root file that fails is shown at its first line if no other line is to blame.
  const first = failed && source !== undefined ? { file: source, line: 1, column: 1 } : undefined;
  return sections.flatMap(({ name, root: whose, items, notes = [] }): readonly Item[] => {
    if (name === 'attention') {
      const single = items.flatMap((item) => item.members ?? item);
      return single.filter(({ risk }) => risk?.entry === root && !risk.isListed);
    }
    if (whose !== root || name === 'held' || name === 'effects' || name === 'permissions') return [];
    if (name === 'diagnostics') return items.map((item) => ({ ...item, place: item.place ?? first }));
    if (name !== 'undeclared') return items;
    return items.map(({ detail, ...item }) =>
      detail ? { ...item, rest: [`access: ${detail}`, ...notes] } : item,
    );
  });
}

export function heldOf({ sections }: ReportView, root: number): readonly Item[] {
  return sections.flatMap(({ name, root: whose, items }) => (name === 'held' && whose === root ? items : []));
}

export function titleOf({ label, head, title }: Item): string {
  return title ?? (label === undefined ? head : `${label}: ${head}`);
}

/** Everything about a finding, one line each; a diagnostic begins with its message, the others with their title. */
export function findingLines(item: Item): string[] {
  const { head, detail, rest, risks = [], diagnostic, change, members } = item;
  // The title of a change has how it is deleted; its detail adds whether that can be undone.
  const isKnown = detail === undefined || members || (change && !detail.includes(', '));
  return [
    diagnostic ? head : titleOf(item),
    ...risks.map((risk) => `needs attention: ${risk}`),
    ...(isKnown ? [] : [detail]),
    ...rest.map(shownLine),
  ];
}

/** The most severe first; of equal ones the diagnostics, then the deletions. */
export function rankedFindings(findings: readonly Item[]): readonly Item[] {
  const ranks: Readonly<Record<string, number>> = { 'change-delete': 1, risk: 3 };
  const rankOf = ({ level, diagnostic, rule }: Item) =>
    severities.indexOf(level) * 4 + (diagnostic ? 0 : (ranks[rule] ?? 2));
  return [...findings].sort((a, b) => rankOf(a) - rankOf(b));
}
