import { type RiskGroupView, type RiskView, restText } from '../risk-view.ts';
import { figure } from '../words.ts';
import { type Html, html } from './escape.ts';
import type { PageEntry } from './page-entry.ts';

/** Risks of one kind that are visible at once; the others are in a fold. */
const mostVisible = 5;
/** Risks of one kind that the page has; a plan that deletes 10,000 workspaces has the others in its changes. */
const mostListed = 500;

/** What needs attention, the most severe kind first. */
export function attention(entry: PageEntry): Html | undefined {
  const risks = entry.view.plan?.risks ?? [];
  if (risks.length === 0) return undefined;
  const id = `${entry.prefix}-attention`;
  const count = risks.reduce((sum, group) => sum + group.risks.length, 0);
  return html`<section class="attention" id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">Needs attention <span class="count">${figure(count)}</span></h3>
<ul class="risk-kinds">${risks.map((group) => riskKind(group, entry))}</ul>
</section>`;
}

const levelWords = { high: 'high risk', medium: 'medium risk' } as const;

function riskKind(group: RiskGroupView, entry: PageEntry): Html {
  const { level, label, risks } = group;
  // One more risk is as short as its count.
  const visible = risks.length <= mostVisible + 1 ? risks : risks.slice(0, mostVisible);
  const folded = risks.slice(visible.length, mostListed);
  const rest = risks.slice(visible.length);
  const omitted = risks.length - visible.length - folded.length;
  const list = (items: readonly RiskView[]) =>
    html`<ul class="risks">${items.map((risk) => riskItem(risk, entry))}</ul>`;
  return html`<li class="risk-kind ${level}"><p class="risk-head"><span class="risk-sign" aria-hidden="true">${level === 'high' ? '!' : '~'}</span><span class="sr">${levelWords[level]}: </span><b>${label}</b>${risks.length > 1 && html` <span class="count">${figure(risks.length)}</span>`}</p>
${list(visible)}${
  rest.length > 0 &&
  html`<details class="fold"><summary>${restText(group, rest)}</summary>${list(folded)}${omitted > 0 && html`<p class="aside">and ${figure(omitted)} more in the list of changes</p>`}</details>`
}</li>
`;
}

function riskItem({ address, detail, place }: RiskView, { changeIds }: PageEntry): Html {
  const id = changeIds.get(address);
  const name = id === undefined ? html`${address}` : html`<a href="#${id}">${address}</a>`;
  return html`<li class="risk"><code>${name}</code>${detail !== '' && html` <span class="risk-detail">${detail}</span>`}${place && html` <code class="place">${place.file}:${place.line}</code>`}</li>`;
}
