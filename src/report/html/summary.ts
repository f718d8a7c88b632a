import { groupBy } from '../../model/value.ts';
import type { Figure } from '../figures.ts';
import { countOf, type Item, restText } from '../items.ts';
import type { EntryView, ReportView, RootStatus } from '../report-view.ts';
import type { Section } from '../sections.ts';
import { figure, firstOf } from '../words.ts';
import { type PagePart, placeElement } from './elements.ts';
import { type Html, html } from './escape.ts';

/*
 * What a page begins with: the figures as tiles, what needs attention, and the root files with their status.
 */

export function tile({ count, label, tone = 'plain', sign = '' }: Figure): Html | undefined {
  if (count === undefined) return undefined;
  const mark = sign !== '' && count > 0 && html`<span class="card-sign" aria-hidden="true">${sign}</span>`;
  return html`<li class="card ${count === 0 ? 'zero' : tone}"><span class="card-count">${mark}${figure(count)}</span> <span class="card-label">${label}</span></li>`;
}

export function entryHead({ organization, source, address, about }: EntryView): Html {
  return html`<header class="entry-head"><h2>${organization ?? source ?? 'Configuration'}</h2>${address !== undefined && html` <p class="address">${address}</p>`}</header>
${about !== undefined && html`<p class="about">${about}</p>`}`;
}

/** Risks of one kind that are visible at once; the others are in a fold. */
const mostVisible = 5;
const mostFolded = 500;

export function attention(sections: readonly Section[], parts: readonly PagePart[]): Html | undefined {
  const items = sections.flatMap((one) => (one.name === 'attention' ? one.items : []));
  if (items.length === 0) return undefined;
  const kinds = [...groupBy(items, ({ label }) => label).values()];
  return html`<section class="attention" id="attention" aria-labelledby="attention-title">
<h2 id="attention-title">Needs attention <span class="count">${figure(countOf(items))}</span></h2>
<ul class="risk-kinds">${kinds.map((same) => riskKind(same, parts))}</ul>
</section>
`;
}

function riskKind(items: readonly Item[], parts: readonly PagePart[]): Html {
  const [first] = items;
  const level = first?.risk?.level ?? 'medium';
  const { shown, rest } = firstOf(items, mostVisible);
  const omitted = rest.length - mostFolded;
  const list = (some: readonly Item[]) =>
    html`<ul class="risks">${some.map((item) => riskElement(item, parts))}</ul>`;
  const fold =
    rest.length > 0 &&
    html`<details class="fold"><summary>${restText(rest)}</summary>${list(rest.slice(0, mostFolded))}${omitted > 0 && html`<p class="aside">and ${figure(omitted)} more in the list of changes</p>`}</details>`;
  return html`<li class="risk-kind ${level}"><p class="risk-head"><span class="risk-sign" aria-hidden="true">${level === 'high' ? '!' : '~'}</span><span class="sr">${level} risk: </span><b>${first?.label ?? ''}</b>${countOf(items) > 1 && html` <span class="count">${figure(countOf(items))}</span>`}</p>
${list(shown)}${fold}</li>
`;
}

function riskElement(item: Item, parts: readonly PagePart[]): Html {
  const { head, address = head, detail, place, risk, members } = item;
  const { changeIds, prefix, lineOf } = parts[risk?.entry ?? 0] ?? {};
  const id = changeIds?.get(address) ?? `${prefix}-title`;
  const name = members ? html`${head}` : html`<a href="#${id}">${head}</a>`;
  const fold =
    members &&
    html`<details class="fold"><summary>Show ${figure(members.length)}</summary><ul class="risks">${members.map((member) => riskElement(member, parts))}</ul></details>`;
  return html`<li class="risk"><code>${name}</code>${detail !== undefined && html` <span class="risk-detail">${detail}</span>`}${risk?.root !== undefined && html` <code class="root-name">${risk.root}</code>`}${placeElement(place, lineOf)}${fold}</li>`;
}

const statusSigns: Readonly<Record<RootStatus, string>> = {
  failed: '✗',
  errors: '✗',
  risks: '!',
  differences: '~',
  same: '✓',
};

export function statusBadge({ status, statusText }: EntryView): Html {
  return html`<span class="badge root-${status}"><span aria-hidden="true">${statusSigns[status]}</span> ${statusText}</span>`;
}

export function overview({ titles: what, entries }: ReportView, order: readonly number[]): Html {
  const rows = order.map((index) => {
    const { title, organization, status, summary } = entries[index] as EntryView;
    const whose = organization !== title && html` <span class="address">${organization}</span>`;
    return html`<tr class="root-${status}"><td>${statusBadge(entries[index] as EntryView)}</td><th scope="row"><a href="#r${index + 1}-title">${title}</a>${whose}</th><td>${summary}</td></tr>
`;
  });
  return html`<section class="contents" aria-labelledby="contents"><h2 id="contents">${what} <span class="count">${figure(entries.length)}</span></h2>
<div class="scroll stack"><table><thead><tr><th scope="col">Status</th><th scope="col">${what.slice(0, -1)}</th><th scope="col">Result</th></tr></thead><tbody>
${rows}</tbody></table></div></section>
`;
}
