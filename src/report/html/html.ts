import type { Report } from '../report.ts';
import { reportView } from '../report-view.ts';
import { access } from './access.ts';
import { changes } from './changes.ts';
import { diagnostics } from './diagnostics.ts';
import { type Html, html } from './escape.ts';
import { page } from './page.ts';
import { type PageEntry, pageEntry, wordings } from './page-entry.ts';
import { sharing } from './sharing.ts';
import { summary } from './summary.ts';
import { counted } from './words.ts';

/**
 * The report as one page that needs nothing else: readable without its script, searchable with it, printable.
 * The same report gives the same bytes.
 */
export function renderHtml(report: Report): string {
  const { kind, entries, total } = reportView(atLeastOne(report));
  const { title } = wordings[kind];
  const parts = entries.map((entry, index) => pageEntry(kind, entry, index));
  const names = entries.flatMap(({ organization }) => organization ?? []);
  const about = names.length > 3 ? counted(names.length, 'organization') : names.join(', ');
  return page({
    title: about === '' ? `${title} - Attune` : `${title}: ${about} - Attune`,
    body: html`<a class="skip" href="#content">Skip to the content</a>
<header class="top"><p class="brand">Attune</p><h1>${title}</h1></header>
<main id="content" tabindex="-1">
${
  total !== undefined &&
  html`<p class="total">${total}</p>
`
}${parts.map((part) => entrySection(part, parts.length))}</main>
<noscript><p class="aside foot">Without JavaScript there are no filters; everything else is here.</p></noscript>`,
  });
}

/** A report of nothing says so. */
function atLeastOne(report: Report): Report {
  return report.entries.length > 0
    ? report
    : { ...report, entries: [{ diagnostics: [], path: (file) => file }] };
}

function entrySection(entry: PageEntry, count: number): Html {
  const { kind, prefix, view } = entry;
  const { plan, organization } = view;
  const sections = [
    { id: 'diagnostics', name: 'Diagnostics', content: diagnostics(entry) },
    { id: 'changes', name: kind === 'drift' ? 'Differences' : 'Changes', content: changes(entry) },
    { id: 'sharing', name: 'State sharing', content: sharing(entry) },
    { id: 'access', name: 'Team access', content: access(entry) },
  ].filter(({ content }) => content !== undefined);
  const heading = organization ?? (count > 1 ? `Root file ${prefix.slice(1)}` : 'Configuration');
  const links = sections.map(({ id, name }) => html`<li><a href="#${prefix}-${id}">${name}</a></li>`);
  return html`<article class="entry" aria-labelledby="${prefix}-title">
<header class="entry-head"><h2 id="${prefix}-title">${heading}</h2>${plan && html` <p class="address">${plan.address}</p>`}</header>
${summary(entry)}
${sections.length > 1 && html`<nav aria-label="Sections of ${heading}"><ul>${links}</ul></nav>`}
${sections.length === 0 && html`<p class="empty">${plan === undefined && view.diagnostics.length === 0 ? 'No problems were found.' : ''}</p>`}
${sections.map(({ content }) => content)}</article>
`;
}
