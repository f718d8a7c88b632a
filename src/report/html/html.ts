import { createHash } from 'node:crypto';
import { groupBy } from '../../model/value.ts';
import type { EntryView } from '../entry-view.ts';
import type { RenderOptions, Report } from '../report.ts';
import { reportView } from '../report-view.ts';
import { countedFigure } from '../words.ts';
import { type Html, html, htmlText, trusted } from './escape.ts';
import { tiles } from './figures.ts';
import { jointPage } from './joint-page.ts';
import { script, style } from './page-assets.js';
import { type PageEntry, pageEntry, wordings } from './page-entry.ts';
import { pageSections } from './page-sections.ts';

/**
 * The report as one page that needs nothing else: readable without its script, searchable with it, printable.
 * The same report gives the same bytes.
 */
export function renderHtml(report: Report, { full = false }: Partial<RenderOptions> = {}): string {
  const view = reportView(atLeastOne(report), { withOverview: true, full });
  const { kind, entries, totals, sections } = view;
  const title = kind === 'report' ? 'Report' : wordings[kind].title;
  const byRoot = groupBy(sections, ({ root }) => root);
  const parts = entries.map((entry, index) => pageEntry(entry, index, byRoot.get(index) ?? []));
  const names = [...new Set(entries.flatMap(({ organization }) => organization ?? []))];
  const about = names.length > 3 ? countedFigure(names.length, 'organization') : names.join(', ');
  const heading = about === '' ? `${title} - Attune` : `${title}: ${about} - Attune`;
  const body = html`<a class="skip" href="#content">Skip to the content</a>
<header class="top"><p class="brand">Attune</p><h1>${title}</h1></header>
<main id="content" tabindex="-1">
${totals.map(
  (total) => html`<p class="total">${total}</p>
`,
)}${view.isJoint ? jointPage(view, parts) : parts.map((part) => entrySection({ ...part, overview: view.organizations[0]?.overview }))}</main>
<noscript><p class="aside foot">Filters require JavaScript; everything else works without it.</p></noscript>`;
  return page(heading, body);
}

/** An empty report still renders a page. */
function atLeastOne(report: Report): Report {
  return report.entries.length > 0
    ? report
    : { ...report, entries: [{ diagnostics: [], path: (file) => file }] };
}

function nameOf({ organization, source }: EntryView): string {
  return organization ?? source ?? 'Configuration';
}

function entrySection(entry: PageEntry): Html {
  const { prefix, view } = entry;
  const { plan } = view;
  const sections = pageSections(entry);
  const heading = nameOf(view);
  const links = sections.map(({ id, name }) => html`<li><a href="#${prefix}-${id}">${name}</a></li>`);
  return html`<article class="entry" aria-labelledby="${prefix}-title">
<header class="entry-head"><h2 id="${prefix}-title">${heading}</h2>${plan && html` <p class="address">${plan.address}</p>`}</header>
${view.about !== undefined && html`<p class="about">${view.about}</p>`}
${tiles(entry)}
${sections.length > 1 && html`<nav aria-label="Sections of ${heading}"><ul>${links}</ul></nav>`}
${sections.length === 0 && html`<p class="empty">${plan === undefined && view.diagnostics.length === 0 ? 'No problems found.' : ''}</p>`}
${sections.map(({ content }) => content)}</article>
`;
}

/**
 * The whole file. It asks the network for nothing, and its policy allows this one style and this one script by their
 * hashes: injected markup cannot run.
 */
function page(title: string, body: Html): string {
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return htmlText(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${trusted(style)}</style>
</head>
<body>
${body}
<script>${trusted(script)}</script>
</body>
</html>
`);
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
