import { createHash } from 'node:crypto';
import { type Severity, severities } from '../../model/diagnostic.ts';
import { groupBy } from '../../model/value.ts';
import type { DiagnosticView } from '../diagnostic-view.ts';
import type { AppliedFigures, EntryView, PlanView } from '../entry-view.ts';
import type { RenderOptions, Report } from '../report.ts';
import { reportView } from '../report-view.ts';
import { countedFigure, figure } from '../words.ts';
import { type Fragment, type Html, html, htmlText, trusted } from './escape.ts';
import { jointPage } from './joint-page.ts';
import { script, style } from './page-assets.js';
import { type PageEntry, pageEntry, type Wording, wordings } from './page-entry.ts';
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
)}${view.isJoint ? jointPage(view, parts) : parts.map(entrySection)}</main>
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
${summary(entry)}
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

interface Card {
  readonly count: number;
  readonly label: string;
  /** Colours the figure where it is not zero. */
  readonly tone?: 'create' | 'update' | 'delete' | 'good' | 'bad' | 'warning';
  /** Shown in addition to the color. */
  readonly sign?: string;
}

/** The figures of one organization, as cards. */
function summary(entry: PageEntry): Html {
  const cards = cardsOf(entry);
  return html`<ul class="cards" aria-label="Summary">${cards.map(card)}</ul>`;
}

function card({ count, label, tone, sign }: Card): Html {
  const state: Fragment = count === 0 ? 'zero' : (tone ?? 'plain');
  const mark =
    sign !== undefined && count > 0 && html`<span class="card-sign" aria-hidden="true">${sign}</span>`;
  return html`<li class="card ${state}"><span class="card-count">${mark}${figure(count)}</span> <span class="card-label">${label}</span></li>`;
}

function cardsOf({ wording, view: { plan, diagnostics } }: PageEntry): readonly Card[] {
  const problems = severityCards(diagnostics);
  if (plan === undefined) return problems;
  const cards = plan.applied ? outcomeCards(plan, plan.applied) : changeCards(plan, wording);
  return [...cards, ...problems.filter(({ count, label }) => count > 0 && !label.startsWith('note'))];
}

function outcomeCards({ figures }: PlanView, applied: AppliedFigures): readonly Card[] {
  return [
    { count: applied.done, label: 'done', tone: 'good', sign: '✓' },
    { count: applied.failed, label: 'failed', tone: 'bad', sign: '✗' },
    ...(['unknown', 'partial'] as const)
      .filter((label) => applied[label] > 0)
      .map((label): Card => ({ count: applied[label], label, tone: 'bad', sign: '✗' })),
    { count: applied.skipped, label: 'skipped', tone: 'warning', sign: '⊘' },
    { count: figures.unchanged, label: 'unchanged' },
    { count: applied.calls, label: 'calls completed' },
  ];
}

function changeCards({ figures }: PlanView, wording: Wording): readonly Card[] {
  const { create, update, delete: deletes, held = 0, unchanged, calls, undeclared } = figures;
  return [
    { count: create, label: wording.cards.create, tone: 'create', sign: '+' },
    { count: update, label: wording.cards.update, tone: 'update', sign: '~' },
    ...(wording.cards.delete === undefined
      ? []
      : [{ count: deletes, label: wording.cards.delete, tone: 'delete', sign: '−' } as const]),
    ...(undeclared === undefined
      ? []
      : [{ count: undeclared, label: 'undeclared', tone: 'warning', sign: '?' } as const]),
    ...(held > 0 ? [{ count: held, label: 'held', sign: '‖' }] : []),
    { count: unchanged, label: wording.unchanged },
    ...(wording.hasCalls ? [{ count: calls, label: calls === 1 ? 'call' : 'calls' }] : []),
  ];
}

const severityMarks: Readonly<Record<Severity, Pick<Card, 'tone' | 'sign'>>> = {
  error: { tone: 'bad', sign: '✗' },
  warning: { tone: 'warning', sign: '!' },
  note: {},
};

function severityCards(diagnostics: readonly DiagnosticView[]): readonly Card[] {
  return severities.map((severity) => {
    const count = diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
    return { count, label: count === 1 ? severity : `${severity}s`, ...severityMarks[severity] };
  });
}
