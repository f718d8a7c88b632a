import { createHash } from 'node:crypto';
import type { SourceLocation } from '../../model/diagnostic.ts';
import { groupBy } from '../../model/value.ts';
import { countOf, type Item, restText } from '../items.ts';
import type { ReportKind, ReportOrigin } from '../report.ts';
import type { Section } from '../sections.ts';
import { figure, firstOf, placeText } from '../words.ts';
import { type Html, html, htmlText, trusted } from './escape.ts';
import { script, style } from './page-assets.js';

export interface PagePart {
  readonly kind: ReportKind;
  /** The prefix of every id of this part, so that ids are unique on the page. */
  readonly prefix: string;
  readonly changeIds: ReadonlyMap<string, string>;
  readonly lineOf?: ReportOrigin['lineOf'];
}

export function changeLink(
  address: string,
  { changeIds }: Pick<PagePart, 'changeIds'>,
  text = address,
): Html {
  const id = changeIds.get(address);
  return id === undefined ? html`${text}` : html`<a href="#${id}">${text}</a>`;
}

export function signText(sign: string): string {
  return sign === '-' ? '−' : sign;
}

export function placeElement(
  place: SourceLocation | undefined,
  lineOf: PagePart['lineOf'],
  text?: string,
): Html | undefined {
  if (place === undefined) return undefined;
  const url = lineOf?.(place);
  const shown = text ?? placeText(place);
  return html` <code class="place">${url === undefined ? shown : html`<a href="${url}">${shown}</a>`}</code>`;
}

/**
 * The whole file. It asks the network for nothing, and its policy allows this one style and this one script by their
 * hashes: injected markup cannot run.
 */
export function page(title: string, body: Html): string {
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
