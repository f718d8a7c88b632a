import type { MoveEffect } from '../../model/plan.ts';
import type { EntryView } from './entry.ts';
import { type Html, html } from './escape.ts';
import { permissionList } from './permission-list.ts';

/** What each move of a workspace to another project means for the teams of both. */
export function moves(all: readonly MoveEffect[], view: EntryView): Html | undefined {
  if (all.length === 0) return undefined;
  return html`<h4>Moves between projects</h4><ul class="moves">${all.map((move) => moveItem(move, view))}</ul>`;
}

function moveItem({ workspace, from, to, teams, unknown }: MoveEffect, view: EntryView): Html {
  const id = view.changeIds.get(`workspace.${workspace}`);
  const name = html`<code>${id === undefined ? workspace : html`<a href="#${id}">${workspace}</a>`}</code>`;
  const verb = view.kind === 'drift' ? 'is live in' : 'moves from';
  const toward = view.kind === 'drift' ? 'and declared in' : 'to';
  return html`<li class="move"><p>${name} ${verb} <b>${from}</b> ${toward} <b>${to}</b>.${teams.length === 0 && unknown.length === 0 && ' No team gains or loses anything.'}</p>
${teams.length > 0 && html`<ul class="move-teams">${teams.map(teamItem)}</ul>`}${unknown.map((project) => html`<p class="callout note">The team access of <b>${project}</b> was not read: no file declares it. Its teams are not in this list.</p>`)}</li>`;
}

function teamItem({ team, before, after, permissions }: MoveEffect['teams'][number]): Html {
  return html`<li><b>${team}</b> ${sentence(before, after)}${permissionList(permissions)}</li>`;
}

function sentence(before: string | null, after: string | null): string {
  if (before === null) return `gains ${after} access to it`;
  if (after === null) return `loses its ${before} access to it`;
  return before === after
    ? `keeps ${after} access, with other permissions`
    : `has ${after} instead of ${before} access to it`;
}
