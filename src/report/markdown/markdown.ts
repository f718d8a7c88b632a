import { html, htmlText } from '../html/escape.ts';
import type { RenderOptions, Report } from '../report.ts';
import { type ReportView, reportView } from '../report-view.ts';
import { countOf, type Item, overallTitle, type Section, sectionsOf } from './markdown-sections.ts';
import { byteLength, codeSpan, fenceBytes, fenced, shortened } from './markdown-text.ts';

/** A comment on GitHub holds 65,536 characters; the rest is for text that a job adds. */
const mostBytes = 55_000;
/** The space for the sentence about omitted changes. */
const closingBytes = 1_000;

/**
 * A report as a comment on a pull request: at most 55,000 bytes. Important sections are expanded, the others collapsed.
 * What does not fit is counted.
 */
export function renderMarkdown(report: Report, { full = false }: Partial<RenderOptions> = {}): string {
  const view = reportView(report);
  const head = [marker(view), titleLine(view)].join('\n');
  const sections = fitSections(sectionsOf(view, full), mostBytes - byteLength(head) - closingBytes);
  const parts = sections.filter(({ items }) => items.length > 0).map(renderSection);
  return `${[head, ...parts, ...closing(view, sections)].join('\n\n')}\n`;
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

function renderSection(section: FittedSection): string {
  const { important, title, root, items, leftOut } = section;
  if (title === overallTitle) return body(section);
  const listed = countOf(items);
  const count = leftOut > 0 ? `${listed} of ${listed + leftOut}` : String(listed);
  if (important) {
    const whose = root === '' ? '' : `${codeSpan(root)}: `;
    return `### ${whose}${title} (${count})\n\n${body(section)}`;
  }
  const whose = root === '' ? '' : `${htmlText(html`<code>${root}</code>`)}: `;
  // The empty lines make what is inside Markdown again.
  return `<details><summary>${whose}${title} (${count})</summary>\n\n${body(section)}\n\n</details>`;
}

function body({ style, items }: FittedSection): string {
  if (style !== 'list')
    return fenced(
      style,
      items.flatMap(({ head, rest }) => [head, ...rest]),
    );
  return items
    .flatMap(({ head, rest }) => [`- ${head}`, ...rest.map((line) => `  - ${line.trimStart()}`)])
    .join('\n');
}

/** How much was left out, and where to see it. */
function closing({ kind }: ReportView, sections: readonly FittedSection[]): string[] {
  const counts = new Map<string, number>();
  for (const { title, leftOut } of sections) {
    if (leftOut > 0) counts.set(title, (counts.get(title) ?? 0) + leftOut);
  }
  if (counts.size === 0) return [];
  const omitted = [...counts].map(([title, count]) => `${count} under "${title}"`).join(', ');
  return [
    `**Omitted to fit the size of a comment:** ${omitted}. The complete report is in the output of \`attune ${kind === 'report' ? 'show' : kind}\` and in the file of \`--report attune.html\`.`,
  ];
}

/** The part of a section that fits. */
interface FittedSection extends Section {
  readonly leftOut: number;
}

/** What headings, folds and counts around the items of a section may come to, its root file's name aside. */
const frameBytes = 200;

/**
 * Distributes the space among sections, in their order. Each important section keeps a reserved part of the space, so
 * that a thousand errors do not push out the only deletion.
 */
function fitSections(sections: readonly Section[], space: number): FittedSection[] {
  const important = sections.filter((section) => section.important).length;
  const part = Math.floor(space / 2 / Math.max(1, important));
  const kept = sections.map((section) =>
    section.important ? Math.min(part, frame(section) + itemsBytes(section.items)) : 0,
  );
  let left = space;
  let keptForLater = kept.reduce((sum, bytes) => sum + bytes, 0);
  return sections.map((section, index) => {
    keptForLater -= kept[index] ?? 0;
    const items = fitItems(section.items, left - keptForLater - frame(section));
    if (items.length > 0) left -= frame(section) + itemsBytes(items);
    return { ...section, items, leftOut: countOf(section.items.slice(items.length)) };
  });
}

/** An item that does not fit may still fit with its first line. The first that does not fit at all ends the list. */
function fitItems(items: readonly Item[], space: number): Item[] {
  const fitted: Item[] = [];
  let left = space;
  for (const item of items) {
    const shown = [item, { head: item.head, rest: [] }].find((one) => itemBytes(one) <= left);
    if (shown === undefined) break;
    fitted.push(shown);
    left -= itemBytes(shown);
  }
  return fitted;
}

function frame({ root, items }: Section): number {
  return frameBytes + 6 * byteLength(root) + fenceBytes(items.flatMap(({ head, rest }) => [head, ...rest]));
}

function itemsBytes(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + itemBytes(item), 0);
}

/** With the line ends, and the signs of a list. */
function itemBytes({ head, rest }: Item): number {
  return [head, ...rest].reduce((sum, line) => sum + byteLength(line) + '  - \n'.length, 0);
}
