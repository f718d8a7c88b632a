import { html, htmlText } from '../html/escape.ts';
import type { RenderOptions, Report } from '../report.ts';
import { type ReportView, reportView } from '../report-view.ts';
import { type FittedSection, fitSections } from './markdown-fit.ts';
import { countOf, overallTitle, sectionsOf } from './markdown-sections.ts';
import { byteLength, codeSpan, fenced, shortened } from './markdown-text.ts';

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
  const head = [marker(view), heading(view)].join('\n');
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

function heading({ kind, entries }: ReportView): string {
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
