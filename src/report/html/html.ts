import type { Report, ReportEntry } from '../report.ts';
import { totalText } from '../text/summary-text.ts';
import { access } from './access.ts';
import { changes } from './changes.ts';
import { diagnostics } from './diagnostics.ts';
import { type EntryView, entryView } from './entry.ts';
import { type Html, html } from './escape.ts';
import { page } from './page.ts';
import { sharing } from './sharing.ts';
import { summary } from './summary.ts';
import { wordingOf } from './wording.ts';
import { counted } from './words.ts';

/**
 * The report as one page that needs nothing else: readable without its script, searchable with it, printable.
 * The same report gives the same bytes.
 */
export function renderHtml(report: Report): string {
  const { title } = wordingOf(report.kind);
  const views = atLeastOne(report.entries).map((entry, index) => entryView(report.kind, entry, index));
  const names = views.flatMap(({ plan, entry }) => plan?.organization ?? entry.organization ?? []);
  const total = totalText(report);
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
}${views.map((view) => entrySection(view, views.length))}</main>
<noscript><p class="aside foot">Without JavaScript there are no filters; everything else is here.</p></noscript>`,
  });
}

/** A report of nothing says so. */
function atLeastOne(entries: readonly ReportEntry[]): readonly ReportEntry[] {
  return entries.length > 0 ? entries : [{ diagnostics: [], path: (file) => file }];
}

function entrySection(view: EntryView, count: number): Html {
  const { plan, prefix, entry } = view;
  const sections = [
    { id: 'diagnostics', name: 'Diagnostics', content: diagnostics(view) },
    { id: 'changes', name: view.kind === 'drift' ? 'Differences' : 'Changes', content: changes(view) },
    { id: 'sharing', name: 'State sharing', content: sharing(view) },
    { id: 'access', name: 'Team access', content: access(view) },
  ].filter(({ content }) => content !== undefined);
  const organization = plan?.organization ?? entry.organization;
  const heading = organization ?? (count > 1 ? `Root file ${prefix.slice(1)}` : 'Configuration');
  const links = sections.map(({ id, name }) => html`<li><a href="#${prefix}-${id}">${name}</a></li>`);
  return html`<article class="entry" aria-labelledby="${prefix}-title">
<header class="entry-head"><h2 id="${prefix}-title">${heading}</h2>${plan && html` <p class="address">${plan.address}</p>`}</header>
${summary(view)}
${sections.length > 1 && html`<nav aria-label="Sections of ${heading}"><ul>${links}</ul></nav>`}
${sections.length === 0 && html`<p class="empty">${plan === undefined && entry.diagnostics.length === 0 ? 'No problems were found.' : ''}</p>`}
${sections.map(({ content }) => content)}</article>
`;
}
