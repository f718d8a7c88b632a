import type { AccessResult } from '../../model/results.ts';
import { accessView } from '../access-text.ts';
import { page } from './elements.ts';
import { html } from './escape.ts';

export function accessPage(result: AccessResult): string {
  const { organization, address, state } = result;
  const { title = 'Access', none, tables } = accessView(result);
  const sections = tables.map(
    (
      [head = [], ...body],
      index,
    ) => html`<section><div class="scroll" role="region" tabindex="0" aria-label="Table ${index + 1}"><table class="answer">
<thead><tr>${head.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>${body.map(
      ([first = '', ...cells]) =>
        html`<tr><th scope="row">${first}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`,
    )}</tbody></table></div></section>
`,
  );
  return page(
    `${title}: ${organization} - Attune`,
    html`<a class="skip" href="#content">Skip to the content</a>
<header class="top"><p class="brand">Attune</p><h1>${title}</h1></header>
<main id="content" tabindex="-1"><article class="entry"><h2>${organization}</h2> <span class="address">${address}</span>
<p class="lead">${state === 'live' ? 'The live state' : 'The state after the plan of the files'}</p>
${none !== undefined && html`<p>${none}</p>`}${sections}</article></main>`,
  );
}
