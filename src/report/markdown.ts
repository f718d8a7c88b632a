import { groupBy } from '../model/value.ts';
import { type CommentItem, type CommentPart, codeSpan, fittedTexts } from './comment-parts.ts';
import { type Item, itemLines, limited } from './items.ts';
import type { RenderOptions, Report } from './report.ts';
import { byAttention, type EntryView, type ReportView, reportView } from './report-view.ts';
import type { Section } from './sections.ts';
import { diagnosticTexts } from './text/diagnostics-text.ts';
import { placeText } from './words.ts';

/** A comment on GitHub holds 65,536 characters; the rest is for text that a job adds. */
const mostBytes = 55_000;
const closingBytes = 1_000;

const maxRisks = 20;

export function renderMarkdown(report: Report, { full = false }: Partial<RenderOptions> = {}): string {
  const view = reportView(report, { full });
  const head = [marker(view), titleLine(view)].join('\n');
  const space = mostBytes - Buffer.byteLength(head) - closingBytes;
  const { texts, omitted } = fittedTexts(commentParts(view), space);
  return `${[head, ...texts, ...closing(view, omitted)].join('\n')}\n`;
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

function organizations(entries: readonly EntryView[]): string[] {
  return entries.flatMap(({ organization }) =>
    organization === undefined ? [] : [shortened(organization, 200)],
  );
}

/** The sections by level, so that the deletions of all root files precede updates. */
function commentParts(view: ReportView): readonly CommentPart[] {
  const { isJoint, sections, titles } = view;
  const sorted = (['high', 'medium', 'low'] as const).flatMap((level) =>
    sections.filter((section) => section.level === level),
  );
  const parts = sorted.map((section) => sectionPart(section, view));
  const overview: CommentPart = {
    title: isJoint ? titles : '',
    root: '',
    isImportant: true,
    style: 'list',
    items: overviewItems(view),
  };
  // What needs attention in all of several root files precedes their list.
  const first = sections[0]?.root === undefined ? 1 : 0;
  return [...parts.slice(0, first), overview, ...parts.slice(first)];
}

function sectionPart(section: Section, { isJoint, entries }: ReportView): CommentPart {
  const { name, title, root, level, items, notes = [] } = section;
  const entry = root === undefined ? undefined : entries[root];
  const isAttention = name === 'attention';
  // The signs of a drift report do not mean additions.
  const isDiff = (name === 'changes' || name === 'part' || name === 'failed') && entry?.kind !== 'drift';
  return {
    title,
    root: isJoint && entry ? entry.title : '',
    // A reviewer must not have to open a fold to see a warning.
    isImportant: level === 'high' || items.some(({ diagnostic }) => diagnostic?.severity === 'warning'),
    style: isAttention ? 'list' : isDiff ? 'diff' : 'text',
    items: [
      ...(isAttention ? limited(items, maxRisks).map(riskItem) : codeItems(items)),
      ...notes.map((note) => ({ lines: [note], count: 0 })),
    ],
  };
}

/** Diagnostics of several resources can have the same text, which is shown once, as in text. */
function codeItems(items: readonly Item[]): readonly CommentItem[] {
  const diagnostics = items.flatMap(({ diagnostic }) => diagnostic ?? []);
  if (diagnostics.length === 0) return items.map(codeItem);
  return [...groupBy(diagnosticTexts(diagnostics), (lines) => lines.join('\n')).values()].map((same) => ({
    lines: (same[0] ?? []).map((line) => shortened(line)),
    count: same.length,
  }));
}

function overviewItems({ isJoint, entries, totals }: ReportView): CommentPart['items'] {
  const rows = (isJoint ? byAttention(entries) : entries).map((entry) => {
    const { name, title, statusText, organization, address, summary } = entry;
    const others = [isJoint && organization !== title ? organization : undefined, address];
    const where = listed(others.map((other) => other && code(other)));
    if (name === undefined) return summary;
    return isJoint
      ? `**${statusText}**: ${code(name)}${where}: ${summary}`
      : `**${code(name)}**${where}: ${summary}`;
  });
  return [
    ...rows.map((line) => ({ lines: [line], count: 1 })),
    // A sum is not a root file.
    ...totals.map((total) => ({ lines: [`**${codeSpan(total)}**`], count: 0 })),
  ];
}

function shortened(line: string, most = 600): string {
  const characters = [...line];
  return characters.length <= most
    ? line
    : `${characters.slice(0, most).join('')}… (${characters.length} characters)`;
}

function code(text: string): string {
  return codeSpan(shortened(text));
}

function listed(texts: readonly (string | undefined)[]): string {
  const known = texts.filter(Boolean);
  return known.length === 0 ? '' : ` (${known.join(', ')})`;
}

/** In a list, texts are in code, where nothing of them is Markdown. */
function riskItem({ label, head, detail, place, risk, count }: Item): CommentItem {
  const where = listed([risk?.root && code(risk.root), place && code(placeText(place))]);
  return { lines: [`**${label}**: ${code(head)}${detail ? `: ${code(detail)}` : ''}${where}`], count };
}

function codeItem(item: Item): CommentItem {
  const { members = [], rule, count } = item;
  // The fold of what waits has the addresses, which `--full` lists with their fields.
  const waiting =
    rule === 'held' && item.rest.length === 0 ? members.map(({ sign, head }) => `    ${sign} ${head}`) : [];
  return { lines: [...itemLines(item), ...waiting].map((line) => shortened(line)), count };
}

function closing({ kind }: ReportView, omitted: ReadonlyMap<string, number>): string[] {
  if (omitted.size === 0) return [];
  const counts = [...omitted].map(([title, count]) => `${count} under "${title}"`).join(', ');
  return [
    `\n**Omitted to fit the size of a comment:** ${counts}. The complete report is in the output of \`attune ${kind === 'report' ? 'show' : kind}\` and in the file of \`--report attune.html\`.`,
  ];
}
