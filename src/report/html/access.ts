import type { AccessResult } from '../../model/results.ts';
import { accessView } from '../access-text.ts';
import type { ReportOrigin } from '../report.ts';
import { placeText } from '../words.ts';
import { page } from './elements.ts';
import { html } from './escape.ts';

export function accessPage(result: AccessResult, origin?: ReportOrigin): string {
  const { organization, address, state, rows } = result;
  const rights = rows.flatMap((row) => [row, ...('team' in row ? (row.also ?? []) : [])]);
  const placed = rights.flatMap(({ location }) => location ?? []);
  const urls = new Map(placed.map((place) => [placeText(place), origin?.lineOf?.(place)]));
  // Only places of the answer become links, whatever a name contains.
  const linked = (text: string) =>
    text.split(/(?<=\()([^()]+:\d+)(?=\))/).map((part) => {
      const url = urls.get(part);
      return url === undefined ? part : html`<a href="${url}">${part}</a>`;
    });
  const { title = 'Access', none, tables } = accessView(result);
  const sections = tables.map(([head = [], ...body], index) => {
    const cellOf = (cell: string, nth: number) =>
      html`<td data-label="${head[nth + 1]}">${linked(cell)}</td>`;
    const rows = body.map(
      ([first = '', ...cells]) => html`<tr><th scope="row">${first}</th>${cells.map(cellOf)}</tr>\n`,
    );
    return html`<section><div class="scroll stack" role="region" tabindex="0" aria-label="Table ${index + 1}"><table class="answer">
<thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows}</tbody></table></div></section>
`;
  });
  const content = html`<article class="entry"><h2>${organization}</h2> <span class="address">${address}</span>
<p class="lead">${state === 'live' ? 'The live state' : 'The state after the plan of the files'}</p>
${none !== undefined && html`<p>${none}</p>`}${sections}</article>`;
  return page(title, organization, content, origin);
}
