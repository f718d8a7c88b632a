import { jointAttention } from '../joint-view.ts';
import { type RiskGroupView, type RiskView, restText } from '../risk-view.ts';
import { figure, firstOf, placeText } from '../words.ts';
import { type Html, html } from './escape.ts';
import type { PageEntry } from './page-entry.ts';

/** Risks of one kind that are visible at once; the others are in a fold. */
const mostVisible = 5;
/** Risks of one kind that the page has; a plan that deletes 10,000 workspaces has the others in its changes. */
const mostListed = 500;

/** What needs attention, the most severe kind first. */
export function attention(entry: PageEntry): Html | undefined {
  const id = `${entry.prefix}-attention`;
  const list = riskList(entry.view.plan?.risks ?? [], ({ address }) => entry.changeIds.get(address));
  return (
    list &&
    html`<section class="attention" id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">Needs attention <span class="count">${list.count}</span></h3>
${list.body}
</section>`
  );
}

/** What needs attention in all root files of a page. */
export function jointAttentionSection(parts: readonly PageEntry[]): Html | undefined {
  const list = riskList(jointAttention(parts.map(({ view }) => view)), ({ address, entry }) => {
    const part = entry === undefined ? undefined : parts[entry];
    return part && (part.changeIds.get(address) ?? `${part.prefix}-title`);
  });
  return (
    list &&
    html`<section class="attention" aria-labelledby="attention">
<h2 id="attention">Needs attention <span class="count">${list.count}</span></h2>
${list.body}
</section>
`
  );
}

/** The id of what a risk leads to. */
type TargetOf = (risk: RiskView) => string | undefined;

function riskList(groups: readonly RiskGroupView[], targetOf: TargetOf) {
  if (groups.length === 0) return undefined;
  const count = groups.reduce((sum, group) => sum + group.risks.length, 0);
  return {
    count: figure(count),
    body: html`<ul class="risk-kinds">${groups.map((group) => riskKind(group, targetOf))}</ul>`,
  };
}

const levelWords = { high: 'high risk', medium: 'medium risk' } as const;

function riskKind(group: RiskGroupView, targetOf: TargetOf): Html {
  const { level, label, risks } = group;
  const { shown: visible, rest } = firstOf(risks, mostVisible);
  const folded = risks.slice(visible.length, mostListed);
  const omitted = risks.length - visible.length - folded.length;
  const list = (items: readonly RiskView[]) =>
    html`<ul class="risks">${items.map((risk) => riskItem(risk, targetOf(risk)))}</ul>`;
  return html`<li class="risk-kind ${level}"><p class="risk-head"><span class="risk-sign" aria-hidden="true">${level === 'high' ? '!' : '~'}</span><span class="sr">${levelWords[level]}: </span><b>${label}</b>${risks.length > 1 && html` <span class="count">${figure(risks.length)}</span>`}</p>
${list(visible)}${
  rest.length > 0 &&
  html`<details class="fold"><summary>${restText(group, rest)}</summary>${list(folded)}${omitted > 0 && html`<p class="aside">and ${figure(omitted)} more in the list of changes</p>`}</details>`
}</li>
`;
}

function riskItem({ address, root, detail, place }: RiskView, id: string | undefined): Html {
  const name = id === undefined ? html`${address}` : html`<a href="#${id}">${address}</a>`;
  return html`<li class="risk"><code>${name}</code>${detail !== '' && html` <span class="risk-detail">${detail}</span>`}${root !== undefined && html` <code class="root-name">${root}</code>`}${place && html` <code class="place">${placeText(place)}</code>`}</li>`;
}
