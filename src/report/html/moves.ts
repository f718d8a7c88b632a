import { groupBy } from '../../model/group-by.ts';
import type { MoveEffect } from '../../model/plan.ts';
import type { EntryView } from './entry.ts';
import { type Html, html } from './escape.ts';
import { permissionList } from './permission-list.ts';
import { counted } from './words.ts';

/** How many workspaces that go the same way are named. */
const mostNames = 60;

/** What moves of workspaces between projects mean for the teams of both; those that go the same way are told together. */
export function moves(all: readonly MoveEffect[], view: EntryView): Html | undefined {
  if (all.length === 0) return undefined;
  const ways = groupBy(all, ({ from, to }) => JSON.stringify([from, to]));
  return html`<h4>${view.kind === 'drift' ? 'In another project than declared' : 'Moves between projects'}</h4><ul class="moves">${[...ways.values()].map((same) => way(same, view))}</ul>`;
}

function way(same: readonly MoveEffect[], view: EntryView): Html | undefined {
  const [first] = same;
  if (first === undefined) return undefined;
  const { from, to, teams, unknown } = first;
  const names = same
    .slice(0, mostNames)
    .map(({ workspace }, index) => html`${index > 0 && ', '}${name(workspace, view)}`);
  const rest = same.length - mostNames;
  const direction =
    view.kind === 'drift'
      ? html`Live in <b>${from}</b>, declared in <b>${to}</b>`
      : html`From <b>${from}</b> to <b>${to}</b>`;
  const nothing = teams.length + unknown.length === 0 && html`<p>No team gains or loses anything.</p>`;
  return html`<li class="move"><p>${direction}: ${names}${rest > 0 && ` and ${counted(rest, 'more workspace')}`}</p>${nothing}${
    teams.length > 0 && html`<ul class="move-teams">${teams.map(teamItem)}</ul>`
  }${unknown.map((project) => html`<p class="callout note">${teams.length > 0 ? 'Other teams' : 'Teams'} of <b>${project}</b>: unknown, because its team access was not read.</p>`)}</li>`;
}

function name(workspace: string, view: EntryView): Html {
  const id = view.changeIds.get(`workspace.${workspace}`);
  return html`<code>${id === undefined ? workspace : html`<a href="#${id}">${workspace}</a>`}</code>`;
}

function teamItem({ team, before, after, permissions }: MoveEffect['teams'][number]): Html {
  return html`<li><b>${team}</b> ${sentence(before, after)}${permissionList(permissions)}</li>`;
}

function sentence(before: string | null, after: string | null): string {
  if (before === 'unknown') return `has ${after} access; its access before is unknown`;
  if (after === 'unknown') return `has ${before} access before; its access after is unknown`;
  if (before === null) return `gains ${after} access`;
  if (after === null) return `loses its ${before} access`;
  return before === after
    ? `keeps ${after} access, with other permissions`
    : `has ${after} instead of ${before} access`;
}
