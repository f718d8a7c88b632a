import type { MoveView } from '../access-view.ts';
import { countedFigure } from '../words.ts';
import { accessLegend, accessMatrix } from './access-matrix.ts';
import { type Html, html } from './escape.ts';
import type { PageEntry } from './page-entry.ts';
import { permissionList } from './permission-list.ts';

/** The access of teams to projects, and how moves of workspaces change it.*/
export function access(entry: PageEntry): Html | undefined {
  const { wording, prefix, view } = entry;
  if (view.plan?.overview === undefined) return undefined;
  const { moves: ways } = view.plan;
  const { grants, unknown } = view.plan.overview.access;
  if (grants.length + ways.length === 0) return undefined;
  const id = `${prefix}-access`;
  const changed = grants.filter(({ isChanged }) => isChanged);
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">Team access${changed.length > 0 && html` <span class="count">${countedFigure(changed.length, 'change')}</span>`}</h3>
${grants.length > 0 && html`<p class="lead">The access of each team to each project${wording.accessSides}. Open a marked cell for its permissions.</p>${accessMatrix(view.plan.overview.access, entry)}${accessLegend()}${unknownProjects(unknown)}`}
${moves(ways, entry)}</section>`;
}

/** What an empty cell cannot show: the matrix has no row for a project whose team access was not read. */
function unknownProjects(projects: readonly string[]): Html | undefined {
  if (projects.length === 0) return undefined;
  const rest = projects.length - mostNames;
  return html`<p class="callout note">Team access of ${projects.slice(0, mostNames).map((project, index) => html`${index > 0 && ', '}<b>${project}</b>`)}${rest > 0 && ` and ${countedFigure(rest, 'more project')}`}: unknown (not read).</p>`;
}

/** The maximum of workspaces named per move. */
const mostNames = 60;

/** The moves of one of several root files, whose projects have its labels. */
export function moveSection(entry: PageEntry): Html | undefined {
  const all = entry.view.plan?.moves ?? [];
  if (all.length === 0) return undefined;
  const id = `${entry.prefix}-moves`;
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">${entry.wording.moves}</h3>
<ul class="moves">${all.map((one) => move(one, entry))}</ul></section>`;
}

/** How moves between projects change the access of teams. */
function moves(all: readonly MoveView[], entry: PageEntry): Html | undefined {
  if (all.length === 0) return undefined;
  return html`<h4>${entry.wording.moves}</h4><ul class="moves">${all.map((one) => move(one, entry))}</ul>`;
}

function move({ from, to, workspaces, teams, unknown }: MoveView, entry: PageEntry): Html {
  const names = workspaces
    .slice(0, mostNames)
    .map((workspace, index) => html`${index > 0 && ', '}${name(workspace, entry)}`);
  const rest = workspaces.length - mostNames;
  const { wording } = entry;
  const direction = html`${wording.from} <b>${from}</b>${wording.to} <b>${to}</b>`;
  const nothing = teams.length + unknown.length === 0 && html`<p>No team gains or loses permissions.</p>`;
  return html`<li class="move"><p>${direction}: ${names}${rest > 0 && ` and ${countedFigure(rest, 'more workspace')}`}</p>${nothing}${
    teams.length > 0 && html`<ul class="move-teams">${teams.map(teamItem)}</ul>`
  }${unknown.map((project) => html`<p class="callout note">${teams.length > 0 ? 'Other teams' : 'Teams'} of <b>${project}</b>: unknown (team access was not read).</p>`)}</li>`;
}

function name(workspace: string, { changeIds }: PageEntry): Html {
  const id = changeIds.get(`workspace.${workspace}`);
  return html`<code>${id === undefined ? workspace : html`<a href="#${id}">${workspace}</a>`}</code>`;
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
