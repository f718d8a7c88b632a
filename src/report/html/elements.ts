import { workspaceAddress } from '../../model/state.ts';
import type { Section } from '../sections.ts';
import { countedFigure, figure } from '../words.ts';
import { type Fragment, type Html, html } from './escape.ts';
import type { PageEntry } from './page-entry.ts';

/** A section of one organization's part of the page, under its heading. */
export function section({ prefix }: PageEntry, name: string, heading: Fragment, content: Fragment): Html {
  const id = `${prefix}-${name}`;
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">${heading}</h3>
${content}</section>`;
}

/** A section of the report as a list of sentences. */
export function sentences(entry: PageEntry, { name, title, items, notes }: Section): Html | undefined {
  // The table of state sharing has the others.
  const shown = items.filter(({ rule }) => rule !== 'state-access');
  if (shown.length + notes.length === 0) return undefined;
  const list = html`<ul class="sentences">${shown.map(
    ({ head, rest }) =>
      html`<li>${head}${rest.length > 0 && html`<ul>${rest.map((line) => html`<li>${line}</li>`)}</ul>`}</li>`,
  )}</ul>`;
  return section(entry, name, title, html`${notes.map((note) => html`<p class="lead">${note}</p>`)}${list}`);
}

/** A text, as a link to the change of an address if there is one. */
export function changeLink(address: string, { changeIds }: PageEntry, text = address): Html {
  const id = changeIds.get(address);
  return id === undefined ? html`${text}` : html`<a href="#${id}">${text}</a>`;
}

/** The maximum of names in a sentence; the rest is counted. */
const mostNames = 60;

/** Names in a sentence. */
export function nameList(
  names: readonly string[],
  { noun, nameOf }: { readonly noun: string; readonly nameOf: (name: string) => Html },
): Html {
  const shown = names.slice(0, mostNames).map((name, index) => html`${index > 0 && ', '}${nameOf(name)}`);
  const rest = names.length - mostNames;
  return html`${shown}${rest > 0 && ` and ${countedFigure(rest, `more ${noun}`)}`}`;
}

/** The names of workspaces in a sentence, with links to their changes. */
export function workspaceLinks(workspaces: readonly string[], entry: PageEntry): Html {
  const nameOf = (name: string) => html`<code>${changeLink(workspaceAddress(name), entry, name)}</code>`;
  return nameList(workspaces, { noun: 'workspace', nameOf });
}

/** Items as a list of chips; what exceeds the maximum is counted. */
export function chipList<Item>(items: readonly Item[], most: number, chipOf: (item: Item) => Html): Html {
  const rest = items.length - most;
  return html`<ul class="chips">${items.slice(0, most).map(chipOf)}${rest > 0 && html`<li class="more">and ${figure(rest)} more</li>`}</ul>`;
}
