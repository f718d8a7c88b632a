import type { InheritedTags } from '../../model/plan.ts';
import type { MoveView } from '../access-view.ts';
import { fieldLines } from '../text/change-text.ts';
import { signs } from '../text/plan-text.ts';
import { figure } from '../words.ts';
import { section, workspaceLinks } from './elements.ts';
import { type Html, html } from './escape.ts';
import { permissionList } from './field.ts';
import type { PageEntry } from './page-entry.ts';

/** What waits, by reason. */
export function held(entry: PageEntry): Html | undefined {
  const { kind, plan } = entry.view;
  if (plan?.held === undefined) return undefined;
  const { heading, groups, notes } = plan.held;
  const addresses = groups.flatMap(({ changes }) => changes.map(({ address }) => address));
  const count = figure(new Set(addresses).size);
  const content = html`${notes.map((note) => html`<p class="lead">${note}</p>`)}
${groups.map(
  ({ reason, changes }) => html`<details open><summary>${reason}</summary>
<ul class="moves">${changes.map(
    (change) =>
      html`<li class="move"><p><code>${signs[change.action]} ${change.address}</code>${fieldLines(change, kind).map((line) => html`<br><code>${line}</code>`)}</p></li>`,
  )}</ul></details>`,
)}`;
  return section(entry, 'held', html`${heading} <span class="count">${count}</span>`, content);
}

/** The moves of one of several root files, whose projects have its labels. */
export function moveSection(entry: PageEntry): Html | undefined {
  const list = moveList(entry);
  return list && section(entry, 'moves', entry.wording.moves, list);
}

/** How moves between projects change the access of teams. */
export function moveList(entry: PageEntry): Html | undefined {
  const moves = entry.view.plan?.moves ?? [];
  return moves.length === 0
    ? undefined
    : html`<ul class="moves">${moves.map((one) => move(one, entry))}</ul>`;
}

function move({ from, to, workspaces, teams, unknown }: MoveView, entry: PageEntry): Html {
  const { wording } = entry;
  const direction = html`${wording.from} <b>${from}</b>${wording.to} <b>${to}</b>`;
  const nothing = teams.length + unknown.length === 0 && html`<p>No team gains or loses permissions.</p>`;
  return html`<li class="move"><p>${direction}: ${workspaceLinks(workspaces, entry)}</p>${nothing}${
    teams.length > 0 && html`<ul class="move-teams">${teams.map(teamItem)}</ul>`
  }${unknown.map((project) => html`<p class="callout note">${teams.length > 0 ? 'Other teams' : 'Teams'} of <b>${project}</b>: unknown (team access was not read).</p>`)}</li>`;
}

function teamItem({ team, before, after, permissions }: MoveView['teams'][number]): Html {
  return html`<li><b>${team}</b> ${sentence(before, after)}${permissionList(permissions)}</li>`;
}

function sentence(before: string | null, after: string | null): string {
  if (before === 'unknown') return `has ${after} access; previously unknown`;
  if (after === 'unknown') return `had ${before} access; now unknown`;
  if (before === null) return `gains ${after} access`;
  if (after === null) return `loses its ${before} access`;
  return before === after ? `keeps ${after} access with other permissions` : `${before} → ${after} access`;
}

/** The settings in effect that change through a project. */
export function inheritedSettings(entry: PageEntry): Html | undefined {
  const items = entry.view.plan?.inherited.map(
    ({ path, before, after, workspaces }) =>
      html`<li class="move"><p><code>${path}</code>: <code>${before}</code> → <code>${after}</code> for ${workspaceLinks(workspaces, entry)}</p></li>`,
  );
  return inheritedSection(entry, {
    name: 'inherited',
    heading: 'Inherited settings',
    what: 'Settings in effect',
    items,
  });
}

/** The key/value tags that workspaces gain and lose through their project. */
export function inheritedTags(entry: PageEntry): Html | undefined {
  const items = entry.view.plan?.inheritedTags.map((tags) => tagsItem(tags, entry));
  return inheritedSection(entry, { name: 'tags', heading: 'Inherited tags', what: 'Key/value tags', items });
}

function tagsItem({ project, workspaces, gains, loses }: InheritedTags, entry: PageEntry): Html {
  const signed = [...gains.map((tag) => `+${tag}`), ...loses.map((tag) => `−${tag}`)];
  return html`<li class="move"><p>In <b>${project}</b>: ${signed.map((tag, index) => html`${index > 0 && ' '}<code>${tag}</code>`)} for ${workspaceLinks(workspaces, entry)}</p></li>`;
}

interface Inherited {
  readonly name: string;
  readonly heading: string;
  readonly what: string;
  readonly items: readonly Html[] | undefined;
}

function inheritedSection(
  entry: PageEntry,
  { name, heading, what, items = [] }: Inherited,
): Html | undefined {
  if (items.length === 0) return undefined;
  const lead = html`<p class="lead">${what} that workspaces ${entry.wording.inheriting} through their project.</p>`;
  return section(
    entry,
    name,
    heading,
    html`${lead}
<ul class="moves">${items}</ul>`,
  );
}
