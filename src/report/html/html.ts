import { endings } from '../../model/apply-result.ts';
import { actions } from '../../model/change.ts';
import { resourceKinds } from '../../model/state.ts';
import { groupBy } from '../../model/value.ts';
import { organizationKey } from '../../service/address.ts';
import { driftWords } from '../changes.ts';
import { type Figure, planOf } from '../figures.ts';
import { type Item, kindNouns } from '../items.ts';
import type { RenderOptions, Report, ReportEntry, ReportOrigin } from '../report.ts';
import { byAttention, type EntryView, type ReportView, reportView } from '../report-view.ts';
import { countedFigure, figure } from '../words.ts';
import { attention, type PagePart, page, type RootPart, rootParts } from './elements.ts';
import { type Html, html } from './escape.ts';
import { sharing } from './sharing.ts';

/*
 * The report as one page that needs nothing else: readable without its script, searchable with it. It has the figures as
 * tiles, what needs attention, an overview of several root files, one form that filters all changes, the sections of each
 * root file, and the state sharing of each organization. The same report gives the same bytes.
 */

const titles = {
  plan: 'Plan',
  drift: 'Drift',
  apply: 'Apply result',
  validate: 'Validation',
  report: 'Report',
} as const;

export function renderHtml(report: Report, { full = false }: Partial<RenderOptions> = {}): string {
  // An empty report still renders a page.
  const none: ReportEntry = { diagnostics: [], path: (file) => file };
  const { kind, entries } = report.entries.length > 0 ? report : { ...report, entries: [none] };
  const view = reportView({ kind, entries }, { full });
  const { about: sentences = [], failure, origin } = report;
  const names = [...new Set(view.entries.flatMap(({ organization }) => organization ?? []))];
  const about = names.length > 3 ? countedFigure(names.length, 'organization') : names.join(', ');
  const body = html`${failure && html`<p class="risk high"><b>Last cycle failed:</b> <span class="risk-detail">${failure}</span></p>`}${sentences.length > 0 && html`<ul class="about">${sentences.map((one) => html`<li>${one}</li>`)}</ul>`}${content(view, entries, origin?.lineOf)}`;
  return page(titles[kind], about, body, origin);
}

/** The separators that all other figures of the page have. No name contains a space. */
function withSeparators(sentence: string): string {
  return sentence.replace(/(?<= )\d{4,}(?= )/g, (digits) => figure(Number(digits)));
}

/** With more organizations, their pictures are folded. */
const mostOpen = 3;

function content(view: ReportView, entries: readonly ReportEntry[], lineOf: ReportOrigin['lineOf']): Html {
  const { isJoint, sections, totals, figures } = view;
  const parts = rootParts(view, lineOf);
  const changes = parts.flatMap((part) => part.changes.filter(({ isContinued }) => !isContinued));
  const isDrift = view.entries.every(({ kind }) => kind === 'drift');
  const order = byAttention(view.entries).map((entry) => view.entries.indexOf(entry));
  return html`${totals.map((total) => html`<p class="total">${withSeparators(total)}</p>`)}${!isJoint && view.entries.map((entry) => entryHead(entry, view))}<ul class="cards" aria-label="Summary">${figures.map(tile)}</ul>
${!isJoint && parts[0]?.errors}${attention(sections, parts)}${isJoint && overview(view, order)}${changes.length > 0 && html`<div class="all-filters">${filterForm(changes, isDrift)}</div>`}
<div id="roots">${order.map((index) => rootElement(view, index, parts))}</div>
${organizationElements(entries, parts)}`;
}

function rootElement({ isJoint, entries }: ReportView, index: number, parts: readonly RootPart[]): Html {
  const { errors = [], lists = [] } = parts[index] ?? {};
  const id = `r${index + 1}-title`;
  const entry = entries[index] as EntryView;
  const { title, organization, status, address, about, summary, changes, nothing } = entry;
  const none = changes === 0 && nothing !== undefined && html`<p class="empty">${nothing}</p>`;
  const isClean = status === 'same' && lists.length === 0 && nothing === undefined;
  if (!isJoint)
    return html`<article class="entry" id="${id}">${none}${isClean && html`<p class="empty">No problems found.</p>`}${lists}</article>
`;
  const names = [organization === title ? undefined : organization, address];
  return html`<article class="entry root" aria-labelledby="${id}"><details${status !== 'same' && status !== 'unplanned' && html` open`}>
<summary><h2 id="${id}">${title}</h2> ${statusBadge(entry)}${names.map((name) => name !== undefined && html` <span class="address">${name}</span>`)}</summary>
${about !== undefined && html`<p class="about">${about}</p>`}<p class="lead">${withSeparators(summary)}</p>
${errors}${lists}</details></article>
`;
}

function tile({ count, label, tone = 'plain', sign = '' }: Figure): Html | undefined {
  if (count === undefined) return undefined;
  const mark = sign !== '' && count > 0 && html`<span class="card-sign" aria-hidden="true">${sign}</span>`;
  return html`<li class="card ${count === 0 ? 'zero' : tone}"><span class="card-count">${mark}${figure(count)}</span> <span class="card-label">${label}</span></li>`;
}

function entryHead({ organization, source, address, about, summary }: EntryView, { isRefused }: ReportView) {
  return html`<header class="entry-head"><h2>${organization ?? source ?? 'Configuration'}</h2>${address !== undefined && html` <p class="address">${address}</p>`}</header>
${about !== undefined && html`<p class="about">${about}</p>`}${isRefused && html`<p class="lead">${withSeparators(summary)}</p>`}`;
}

const statusSigns: Readonly<Record<EntryView['status'], string>> = {
  failed: '✗',
  errors: '✗',
  unplanned: '–',
  risks: '!',
  differences: '~',
  same: '✓',
};

function statusBadge({ status, statusText }: EntryView): Html {
  return html`<span class="badge root-${status}"><span aria-hidden="true">${statusSigns[status]}</span> ${statusText}</span>`;
}

function overview({ titles: what, entries }: ReportView, order: readonly number[]): Html {
  const rows = order.map((index) => {
    const { title, organization, status, summary } = entries[index] as EntryView;
    const whose = organization !== title && html` <span class="address">${organization}</span>`;
    return html`<tr class="root-${status}"><td>${statusBadge(entries[index] as EntryView)}</td><th scope="row"><a href="#r${index + 1}-title">${title}</a>${whose}</th><td>${withSeparators(summary)}</td></tr>
`;
  });
  return html`<section class="contents" aria-labelledby="contents"><h2 id="contents">${what} <span class="count">${figure(entries.length)}</span></h2>
<div class="scroll stack"><table><thead><tr><th scope="col">Status</th><th scope="col">${what.slice(0, -1)}</th><th scope="col">Result</th></tr></thead><tbody>
${rows}</tbody></table></div></section>
`;
}

function organizationElements(entries: readonly ReportEntry[], parts: readonly PagePart[]): readonly Html[] {
  const planned = entries.flatMap((entry, index) => {
    const [plan, part] = [planOf(entry), parts[index]];
    return plan && part ? { plan, part, source: entry.source } : [];
  });
  const runs = groupBy(planned, ({ plan, part, source }) =>
    JSON.stringify([part.kind, organizationKey(plan), source]),
  );
  return [...runs.values()].flatMap((members, index) => {
    const [{ plan, part: first }] = members as [(typeof members)[number]];
    const read = {
      workspaces: members.flatMap((member) => member.plan.overview.workspaces),
      stateAccess: members.flatMap((member) => member.plan.effects.stateAccess),
    };
    const prefix = `o${index + 1}`;
    const changeIds = new Map(members.flatMap(({ part }) => [...part.changeIds]));
    const part = { kind: first.kind, prefix, changeIds };
    const content = sharing(read, part, [plan.organization, plan.address]);
    if (content === undefined) return [];
    return html`<article class="entry organization" aria-labelledby="${prefix}-sharing-title"><details${runs.size <= mostOpen && html` open`}>${content}</details></article>
`;
  });
}

function filterForm(items: readonly Item[], isDrift: boolean): Html {
  const choices = <Value extends string>(
    name: string,
    values: readonly Value[],
    of: (item: Item) => Value | undefined,
    labels?: Readonly<Record<Value, string>>,
  ) => {
    const shown = values.flatMap((value) => {
      const count = items.filter((item) => of(item) === value).length;
      if (count === 0) return [];
      return html`<label class="choice"><input type="checkbox" name="${name}" value="${value}"><span>${labels?.[value] ?? value} <span class="count">${figure(count)}</span></span></label>`;
    });
    // A group of less than two choices selects nothing.
    return shown.length < 2
      ? undefined
      : html`<fieldset><legend class="label">${name}</legend>${shown}</fieldset>`;
  };
  const noun = isDrift ? 'difference' : 'change';
  return html`<form class="filters" role="search" aria-label="Filter changes" hidden>
<label class="search"><span class="label">Search</span><input type="search" name="text" placeholder="name, field, value, file" autocomplete="off" spellcheck="false"></label>
${choices('action', actions, ({ change }) => change?.action, isDrift ? driftWords : undefined)}
${choices('kind', resourceKinds, ({ change }) => change?.kind, kindNouns)}
${choices('result', endings, ({ outcome }) => outcome)}
<button type="reset">Clear</button>
</form>
<p class="status" role="status" data-noun="${noun}s">${countedFigure(items.length, noun)}</p>
<noscript><p class="aside">Filters require JavaScript; everything else works without it.</p></noscript>
`;
}
