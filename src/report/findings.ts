import { severities } from '../model/diagnostic.ts';
import { groupBy } from '../model/value.ts';
import type { Item } from './items.ts';
import type { ReportView } from './report-view.ts';
import { restText } from './risk-view.ts';
import { firstOf } from './words.ts';

/** The number of resources that items are about. */
export function countOf(items: readonly Pick<Item, 'count'>[]): number {
  return items.reduce((sum, { count = 1 }) => sum + count, 0);
}

/** The first items of each kind, and one that counts the others. */
export function limited(items: readonly Item[], most: number, hint = ''): readonly Item[] {
  return [...groupBy(items, ({ rule, risk }) => `${rule} ${risk?.label}`).values()].flatMap((same) => {
    const { shown, rest } = firstOf(same, most);
    const [first] = rest;
    if (first === undefined) return shown;
    const { sign, level, rule, risk } = first;
    const text = restText(rest.map((item) => item.risk ?? {})) + hint;
    const head = risk ? `${risk.label}: ${text}` : text;
    const counted: Item = { sign, head, rest: [], level, rule, count: rest.length };
    return [...shown, risk ? { ...counted, risk: { ...risk, address: text } } : counted];
  });
}

/** What formats that list findings at lines of files show of one root file: each change and diagnostic once, with its risks. */
export function findingsOf({ sections, entries }: ReportView, root: number): readonly Item[] {
  const { failed, source } = entries[root] ?? {};
  // The reason of a root file that fails is shown at its first line if no other line is to blame.
  const first = failed && source !== undefined ? { file: source, line: 1, column: 1 } : undefined;
  return sections.flatMap(({ name, root: whose, items, notes }): readonly Item[] => {
    if (name === 'attention') return items.filter(({ risk }) => risk?.entry === root && !risk.isListed);
    if (whose !== root || name === 'held' || name === 'effects') return [];
    if (name === 'diagnostics') return items.map((item) => ({ ...item, place: item.place ?? first }));
    return items.map(({ detail, ...item }) =>
      name === 'undeclared' && detail
        ? { ...item, rest: [`access: ${detail}`, ...notes] }
        : { ...item, detail },
    );
  });
}

/** What waits of one root file, an item for each reason. */
export function heldOf({ sections }: ReportView, root: number): readonly Item[] {
  return sections.flatMap(({ name, root: whose, items }) => (name === 'held' && whose === root ? items : []));
}

/** What is beside the title of an item: the title of a change has the mode of a delete. */
export function besideTitle({ detail, change }: Item): string | undefined {
  return detail === change?.word || (change && change.outcome !== undefined) ? undefined : detail;
}

/** Everything about a finding, one line each; a diagnostic begins with its message, the others with their title. */
export function findingLines(item: Item): string[] {
  const { head, title = head, rest, risks = [], diagnostic } = item;
  return [
    diagnostic ? head : title,
    ...risks.map((risk) => `needs attention: ${risk}`),
    ...[besideTitle(item)].filter((text) => text !== undefined),
    ...rest,
  ];
}

/** The most severe first; of equal ones the diagnostics, then the deletions. */
export function rankedFindings(findings: readonly Item[]): readonly Item[] {
  const ranks: Readonly<Record<string, number>> = { 'change-delete': 1, risk: 3 };
  const rankOf = ({ level, diagnostic, rule }: Item) =>
    severities.indexOf(level) * 4 + (diagnostic ? 0 : (ranks[rule] ?? 2));
  return [...findings].sort((a, b) => rankOf(a) - rankOf(b));
}
