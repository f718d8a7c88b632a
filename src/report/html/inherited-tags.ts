import type { InheritedTags } from '../../model/plan.ts';
import { countedFigure } from '../words.ts';
import { type Html, html } from './escape.ts';
import type { PageEntry } from './page-entry.ts';

/** The maximum of workspaces named per project. */
const mostNames = 60;

/** The key/value tags that workspaces gain and lose through their project. */
export function inheritedTags(entry: PageEntry): Html | undefined {
  const all = entry.view.plan?.inheritedTags ?? [];
  if (all.length === 0) return undefined;
  const id = `${entry.prefix}-tags`;
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">Inherited tags</h3>
<p class="lead">Key/value tags that workspaces ${entry.wording.inheriting} through their project.</p>
<ul class="moves">${all.map((one) => project(one, entry))}</ul></section>`;
}

/** The settings in effect that change through a project. */
export function inheritedSettings(entry: PageEntry): Html | undefined {
  const all = entry.view.plan?.inherited ?? [];
  if (all.length === 0) return undefined;
  const id = `${entry.prefix}-inherited`;
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">Inherited settings</h3>
<p class="lead">Settings in effect that workspaces ${entry.wording.inheriting} through their project.</p>
<ul class="moves">${all.map(
    ({ path, before, after, workspaces }) =>
      html`<li class="move"><p><code>${path}</code>: <code>${before}</code> → <code>${after}</code> for ${workspaceList(workspaces, entry)}</p></li>`,
  )}</ul></section>`;
}

function workspaceList(workspaces: readonly string[], { changeIds }: PageEntry): Html {
  const names = workspaces.slice(0, mostNames).map((workspace, index) => {
    const id = changeIds.get(`workspace.${workspace}`);
    return html`${index > 0 && ', '}<code>${id === undefined ? workspace : html`<a href="#${id}">${workspace}</a>`}</code>`;
  });
  const rest = workspaces.length - mostNames;
  return html`${names}${rest > 0 && ` and ${countedFigure(rest, 'more workspace')}`}`;
}

function project(tags: InheritedTags, entry: PageEntry): Html {
  const signed = [...tags.gains.map((tag) => `+${tag}`), ...tags.loses.map((tag) => `−${tag}`)];
  return html`<li class="move"><p>In <b>${tags.project}</b>: ${signed.map((tag, index) => html`${index > 0 && ' '}<code>${tag}</code>`)} for ${workspaceList(tags.workspaces, entry)}</p></li>`;
}
