import { byAttention } from '../entry-view.ts';
import { besideTitle, limited } from '../findings.ts';
import type { Item } from '../items.ts';
import type { RenderOptions, Report } from '../report.ts';
import { type ReportView, reportView } from '../report-view.ts';
import { diagnosticLines } from '../text/diagnostics-text.ts';
import { placeText } from '../words.ts';
import { type CommentItem, type CommentPart, type FittedPart, fitParts, partText } from './comment-parts.ts';
import { byteLength, codeSpan, shortened } from './markdown-text.ts';

/** A comment on GitHub holds 65,536 characters; the rest is for text that a job adds. */
const mostBytes = 55_000;
/** The space for the sentence about omitted changes. */
const closingBytes = 1_000;

/** The maximum of risks of one kind that are listed. */
const maxRisks = 20;

/**
 * A report as a comment on a pull request: at most 55,000 bytes. Important sections are expanded, the others collapsed.
 * What does not fit is counted.
 */
export function renderMarkdown(report: Report, { full = false }: Partial<RenderOptions> = {}): string {
  const view = reportView(report, { full });
  const head = [marker(view), titleLine(view)].join('\n');
  const parts = fitParts(commentParts(view), mostBytes - byteLength(head) - closingBytes);
  const texts = parts.filter(({ items }) => items.length > 0).map(partText);
  return `${[head, ...texts, ...closing(view, parts)].join('\n\n')}\n`;
}

/** By this line a job finds the comment that it wrote before. */
function marker({ kind, entries }: ReportView): string {
  const names = organizations(entries).map((name) => name.replace(/[^A-Za-z0-9_.-]/g, '_'));
  // Root files that fail precede the others, and the line is the same if they do not.
  return `<!-- attune:${kind}:${names.sort().join(',')} -->`;
}

function titleLine({ kind, entries }: ReportView): string {
  const [only, another] = new Set(organizations(entries));
  const whose = only !== undefined && another === undefined ? ` of ${codeSpan(only)}` : '';
  return `## Attune: ${kind}${whose}`;
}

function organizations(entries: ReportView['entries']): string[] {
  return entries.flatMap(({ organization }) =>
    organization === undefined ? [] : [shortened(organization, 200)],
  );
}

/** The sections by level, so that the deletions of all root files precede updates. */
function commentParts(view: ReportView): readonly CommentPart[] {
  const { isJoint, sections, entries } = view;
  const sorted = (['high', 'medium', 'low'] as const).flatMap((level) =>
    sections.filter((section) => section.level === level),
  );
  const parts = sorted.map((section): CommentPart => {
    const { name, title, root, level, items, notes } = section;
    const isList = name === 'attention' || name === 'effects';
    // The signs of a drift report do not mean additions.
    const isDiff = (name === 'changes' || name === 'part') && entries[root ?? 0]?.kind !== 'drift';
    return {
      title,
      root: isJoint && root !== undefined ? (entries[root]?.title ?? '') : '',
      isImportant: level === 'high',
      style: isList ? 'list' : isDiff ? 'diff' : 'text',
      items: [
        ...(name === 'attention' ? limited(items, maxRisks) : items).map(isList ? listItem : codeItem),
        ...notes.map((head) => ({ head, rest: [], count: 0 })),
      ],
    };
  });
  const overview: CommentPart = {
    title: isJoint ? view.titles : '',
    root: '',
    isImportant: true,
    style: 'list',
    items: overviewItems(view),
  };
  const [attention] = sections;
  // What needs attention in all of several root files precedes their list.
  return isJoint && attention?.root === undefined && attention
    ? [...parts.slice(0, 1), overview, ...parts.slice(1)]
    : [overview, ...parts];
}

function overviewItems({ isJoint, entries, totals }: ReportView): CommentItem[] {
  const code = (text: string) => codeSpan(shortened(text));
  const rows = (isJoint ? byAttention(entries) : entries).map((entry) => {
    const { title, statusText, organization, plan, source, summary } = entry;
    const name = isJoint ? title : (plan?.organization ?? source);
    const others = [isJoint && organization !== title ? organization : undefined, plan?.address];
    const names = others.flatMap((other) => (other === undefined ? [] : code(other)));
    const where = names.length === 0 ? '' : ` (${names.join(', ')})`;
    if (name === undefined) return summary;
    return isJoint
      ? `**${statusText}**: ${code(name)}${where}: ${summary}`
      : `**${code(name)}**${where}: ${summary}`;
  });
  return [
    ...rows.map((head) => ({ head, rest: [] })),
    // A sum is not a root file.
    ...totals.map((total) => ({ head: `**${codeSpan(total)}**`, rest: [], count: 0 })),
  ];
}

/** In a list, texts are in code, where nothing of them is Markdown. */
function listItem({ head, detail, place, rest, risk, count }: Item): CommentItem {
  const code = (text: string) => codeSpan(shortened(text));
  const what = risk ? `**${risk.label}**: ${code(risk.address)}` : code(head);
  const places = [risk?.root, place && placeText(place)].flatMap((one) =>
    one === undefined ? [] : code(one),
  );
  return {
    head: `${what}${detail === undefined ? '' : `: ${code(detail)}`}${places.length > 0 ? ` (${places.join(', ')})` : ''}`,
    rest: rest.map(code),
    count,
  };
}

function codeItem(item: Item): CommentItem {
  const { sign, head, title = head, place, change, group, diagnostic, count } = item;
  if (diagnostic) {
    const [first = '', ...lines] = diagnosticLines(diagnostic);
    return { head: shortened(first), rest: lines.map((line) => shortened(line)) };
  }
  const right = [besideTitle(item), place && !group ? placeText(place) : undefined];
  const line = [change ? title : head, ...right].filter((text) => text !== undefined).join('  ');
  return {
    head: shortened(sign === '' ? line : `${sign} ${line}`),
    rest: item.rest.map((text) => shortened(`    ${text}`)),
    count,
  };
}

/** How much was left out, and where to see it. */
function closing({ kind }: ReportView, parts: readonly FittedPart[]): string[] {
  const counts = new Map<string, number>();
  for (const { title, leftOut } of parts) {
    if (leftOut > 0) counts.set(title, (counts.get(title) ?? 0) + leftOut);
  }
  if (counts.size === 0) return [];
  const omitted = [...counts].map(([title, count]) => `${count} under "${title}"`).join(', ');
  return [
    `**Omitted to fit the size of a comment:** ${omitted}. The complete report is in the output of \`attune ${kind === 'report' ? 'show' : kind}\` and in the file of \`--report attune.html\`.`,
  ];
}
