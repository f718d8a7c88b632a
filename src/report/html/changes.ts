import type { Plan } from '../../model/plan.ts';
import { changeItem } from './change.ts';
import type { ChangeView, EntryView } from './entry.ts';
import { type Html, html } from './escape.ts';
import { filterForm } from './filters.ts';
import { figure } from './words.ts';

/** How many undeclared workspaces are named. */
const mostUnmanaged = 500;

/** The list of changes, with what narrows it down. */
export function changes(view: EntryView): Html | undefined {
  const { plan, prefix } = view;
  if (plan === undefined) return undefined;
  const id = `${prefix}-changes`;
  const lookup = projectLookup(plan);
  const involved = view.changes.map((change) => projectsOf(change, lookup));
  const projects = [...new Set(involved.flat())].sort();
  const numbers = new Map(projects.map((project, index) => [project, index]));
  const items = view.changes.map((change, index) =>
    changeItem(change, view, (involved[index] ?? []).map((project) => numbers.get(project)).join(' ')),
  );
  const nothing = view.kind === 'drift' ? 'No differences' : 'No changes';
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">${view.kind === 'drift' ? 'Differences' : 'Changes'} <span class="count">${figure(view.changes.length)}</span></h3>
${view.kind === 'drift' && items.length > 0 && html`<p class="lead">+ stands before what is declared and not live, − before what is live and not declared.</p>`}${items.length === 0 ? html`<p class="empty">${nothing}: what is live is as declared.</p>` : html`${filterForm(view, `${id}-list`, projects)}<ol class="changes" id="${id}-list">${items}</ol>`}
${unmanaged(plan.unmanaged)}</section>`;
}

/** The project of every workspace and grant, by the kind and the name that a change has. */
function projectLookup({ overview }: Plan): ReadonlyMap<string, string | null> {
  return new Map([
    ...overview.workspaces.map(({ name, project }) => [`workspace.${name}`, project] as const),
    ...overview.grants.map(({ project, team }) => [`team-access.${project}/${team}`, project] as const),
  ]);
}

/** The projects that a change is about; for a move both. */
function projectsOf(change: ChangeView, lookup: ReadonlyMap<string, string | null>): readonly string[] {
  const { kind, name, fields } = change;
  const moved = fields.find(({ path }) => path === 'project');
  if (moved) return [moved.before, moved.after].filter((side) => typeof side === 'string');
  const project = lookup.get(`${kind}.${name}`);
  if (typeof project === 'string') return [project];
  // Files may call a project by its id or its name where the overview has its alias.
  return kind === 'team-access' ? [name.slice(0, Math.max(0, name.indexOf('/')))] : [];
}

function unmanaged(addresses: readonly string[]): Html | undefined {
  if (addresses.length === 0) return undefined;
  const rest = addresses.length - mostUnmanaged;
  return html`<details class="unmanaged"${addresses.length <= 20 && html` open`}><summary>Live in scope, declared by no file, left alone: ${figure(addresses.length)}</summary>
<ul class="chips">${addresses.slice(0, mostUnmanaged).map((address) => html`<li class="chip">${address}</li>`)}${rest > 0 && html`<li class="more">and ${figure(rest)} more</li>`}</ul></details>`;
}
