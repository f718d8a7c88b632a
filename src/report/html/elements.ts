import { workspaceAddress } from '../../model/state.ts';
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
