import { groupBy } from '../model/value.ts';
import { html, htmlText } from './html/escape.ts';
import { countOf, type Item, itemLines, limited } from './items.ts';
import type { RenderOptions, Report } from './report.ts';
import { byAttention, type EntryView, type ReportView, reportView } from './report-view.ts';
import type { Section } from './sections.ts';
import { diagnosticTexts } from './text/diagnostics-text.ts';
import { placeText } from './words.ts';

/*
 * External text is always in code, where GitHub and GitLab render neither HTML nor Markdown, and link no mention, issue,
 * commit or address. A backslash before an `@` is not enough: mentions are searched in the rendered text.
 */

/** A comment on GitHub holds 65,536 characters; the rest is for text that a job adds. */
const mostBytes = 55_000;
const closingBytes = 1_000;

const maxRisks = 20;
const maxRest = 40;

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

const restOfGroups = 'Rest of groups';

/** The sections by level, so that the deletions of all root files precede updates. The rest of groups comes last. */
function commentParts(view: ReportView): readonly CommentPart[] {
  const { isJoint, sections, titles } = view;
  const folded = sections.map(({ items, notes: _, ...section }): Section => {
    const unlisted = items.flatMap((item) => item.unlisted ?? []);
    return {
      ...section,
      title: restOfGroups,
      level: 'low',
      items: limited(unlisted, maxRest, ' (--full lists them)'),
    };
  });
  const sorted = (['high', 'medium', 'low'] as const).flatMap((level) =>
    [...sections, ...folded].filter((section) => section.level === level),
  );
  const parts = sorted.flatMap((section) =>
    section.name === 'held' ? heldParts(section, view) : sectionPart(section, view),
  );
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

/** Each hold is seen without a click; its changes are in a fold, if its line does not name the only one. */
function heldParts(section: Section, view: ReportView): readonly CommentPart[] {
  const { items, level, notes = [] } = section;
  const lines = items.map(({ head, detail = '', count }) => ({ lines: [code(`${head}  ${detail}`)], count }));
  const folded = items.flatMap((item) => {
    const { members = [], rest } = item;
    if (rest.length === 0 && members.length === 1) return [];
    const [, ...whole] = itemLines(item);
    const waiting = whole.length > 0 ? whole : members.map(({ sign, head }) => `    ${sign} ${head}`);
    return { lines: [item.head, ...waiting].map((line) => shortened(line)), count: members.length };
  });
  const part = sectionPart({ ...section, level: 'high' }, view);
  if (level === 'high') return [part];
  return [
    { ...part, style: 'list', items: [...lines, ...notes.map((note) => ({ lines: [note], count: 0 }))] },
    { ...part, title: 'Held changes', isImportant: false, items: folded },
  ];
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
  const where = item.unlisted?.length ? ` (under "${restOfGroups}")` : '';
  const lines = itemLines(item).map((line) => shortened(line));
  return { lines: [...lines.slice(0, -1), `${lines.at(-1)}${where}`], count: item.count };
}

function closing({ kind }: ReportView, omitted: ReadonlyMap<string, number>): string[] {
  if (omitted.size === 0) return [];
  const counts = [...omitted].map(([title, count]) => `${count} under "${title}"`).join(', ');
  return [
    `\n**Omitted to fit the size of a comment:** ${counts}. The complete report is in the output of \`attune ${kind === 'report' ? 'show' : kind}\` and in the file of \`--report attune.html\`.`,
  ];
}

/** A piece of text inside a sentence. It must be on one line. */
export function codeSpan(text: string): string {
  const ticks = '`'.repeat(longestRun(text) + 1);
  // One space on each side is taken off again; without it a backtick at the end would be one of the fence.
  const pad = /^`|`$|^ .* $/.test(text) ? ' ' : '';
  return text.trim() === '' ? '(empty)' : `${ticks}${pad}${text}${pad}${ticks}`;
}

function fenceFor(lines: readonly string[]): string {
  return '`'.repeat(lines.reduce((most, line) => Math.max(most, longestRun(line) + 1), 3));
}

function longestRun(text: string): number {
  return [...text.matchAll(/`+/g)].reduce((longest, [run]) => Math.max(longest, run.length), 0);
}

interface CommentPart {
  readonly title: string;
  readonly root: string;
  readonly isImportant: boolean;
  readonly style: 'diff' | 'text' | 'list';
  readonly items: readonly CommentItem[];
}

interface CommentItem {
  readonly lines: readonly string[];
  /** The number of its resources. @default 1 */
  readonly count?: number | undefined;
}

interface FittedPart extends CommentPart {
  readonly leftOut: number;
}

/** What headings, folds and counts around the items may come to, the name of the root file aside. */
const frameBytes = 200;

/**
 * The parts as far as they fit, and the numbers of what does not by title. The space is distributed in the order of the parts.
 * A part leaves half of it to important ones after it.
 */
function fittedTexts(parts: readonly CommentPart[], space: number) {
  const omitted = new Map<string, number>();
  let left = space;
  const fitted = parts.map((part, index): FittedPart => {
    const ticks = fenceFor(part.items.flatMap(({ lines }) => lines));
    const free = left - frameBytes - 6 * Buffer.byteLength(part.root) - 2 * ticks.length;
    const isShared = parts.slice(index + 1).some(({ isImportant }) => isImportant);
    const items = fitItems(part.items, isShared ? free / 2 : free);
    if (items.length > 0) left = free - bytesOf(items);
    const leftOut = countOf(part.items.slice(items.length));
    if (leftOut > 0) omitted.set(part.title, (omitted.get(part.title) ?? 0) + leftOut);
    return { ...part, items, leftOut };
  });
  return { texts: partTexts(fitted), omitted };
}

/** An item that does not fit may still fit with its first line. The first that does not fit at all ends the list. */
function fitItems(items: readonly CommentItem[], space: number): CommentItem[] {
  const fitted: CommentItem[] = [];
  let left = space;
  for (const item of items) {
    const shown = [item, { ...item, lines: item.lines.slice(0, 1) }].find((one) => bytesOf([one]) <= left);
    if (shown === undefined) break;
    fitted.push(shown);
    left -= bytesOf([shown]);
  }
  return fitted;
}

/** With the line ends, and the signs of a list. */
function bytesOf(items: readonly CommentItem[]): number {
  return items
    .flatMap(({ lines }) => lines)
    .reduce((sum, line) => sum + Buffer.byteLength(line) + '- \n'.length, 0);
}

/** The parts with items. A heading and a paragraph need an empty line above them, a fold below another does not. */
function partTexts(parts: readonly FittedPart[]): string[] {
  const shown = parts.filter(({ items }) => items.length > 0);
  return shown.map((part, index) => {
    const isClose = index === 0 || !(part.isImportant || shown[index - 1]?.isImportant);
    return `${isClose ? '' : '\n'}${partText(part)}`;
  });
}

function partText({ isImportant, title, root, style, items, leftOut }: FittedPart): string {
  const lines = items.flatMap((item) => item.lines);
  const ticks = fenceFor(lines);
  // A block of `diff` has colors for lines that start with a sign.
  const shown = style === 'list' ? lines.map((line) => `- ${line}`) : [ticks + style, ...lines, ticks];
  const body = shown.join('\n');
  if (title === '') return body;
  const all = countOf(items);
  const count = leftOut > 0 ? `${all} of ${all + leftOut}` : all;
  const heading = count === 0 ? title : `${title} (${count})`;
  if (isImportant) return `### ${root === '' ? '' : `${codeSpan(root)}: `}${heading}\n${body}`;
  const whose = root === '' ? '' : `${htmlText(html`<code>${root}</code>`)}: `;
  // The empty lines make what is inside Markdown again.
  return `<details><summary>${whose}${heading}</summary>\n\n${body}\n</details>`;
}
