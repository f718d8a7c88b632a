import { type Ending, endings } from '../../model/apply-result.ts';
import { actions, changesOf } from '../../model/change.ts';
import { type ResourceKind, resourceKinds } from '../../model/state.ts';
import { type ChangeGroup, groupChanges, isGroup } from '../change-groups.ts';
import { partHeadings } from '../change-parts.ts';
import type { ChangeView } from '../change-view.ts';
import type { PlanView } from '../report-view.ts';
import { kindNouns, namesText } from '../text/group-text.ts';
import { countedFigure, figure, shortenedLabel } from '../words.ts';
import { actionSigns, changeItem } from './change.ts';
import { type Fragment, type Html, html } from './escape.ts';
import { fieldRow } from './field.ts';
import { type PageEntry, wordings } from './page-entry.ts';
import { permissionList } from './permission-list.ts';

/** How many undeclared workspaces and grants are named. */
const mostUndeclared = 500;

/** The list of changes with its filters; without them if those of the page filter all lists. */
export function changes(entry: PageEntry, shared?: ProjectNumbers): Html | undefined {
  const { wording, prefix, view } = entry;
  const { plan } = view;
  if (plan === undefined) return undefined;
  const id = `${prefix}-changes`;
  const numbers = shared ?? numberProjects([entry]);
  const numberOf = (project: string) => numbers.get(projectKey(entry, project))?.number;
  const itemOf = (change: ChangeView) => changeItem(change, entry, change.projects.map(numberOf).join(' '));
  const itemsOf = (part: readonly ChangeView[]) =>
    groupChanges(part, { full: entry.full }).map((item) =>
      isGroup(item) ? groupItem(item, entry, item.members.map(itemOf)) : itemOf(item),
    );
  const isEmpty = plan.changes.length === 0;
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">${wording.changes} <span class="count">${figure(plan.changes.length)}</span></h3>
${wording.changesLead !== '' && !isEmpty && html`<p class="lead">${wording.changesLead}</p>`}${isEmpty ? html`<p class="empty">${plan.nothing}</p>` : html`${shared === undefined && filterForm([entry], `${id}-list`, numbers)}${list(plan, `${id}-list`, itemsOf)}`}
${dropped(plan)}${undeclared(plan)}</section>`;
}

/** With a base, what was already different is folded. */
function list(
  { parts, changes: all }: PlanView,
  id: string,
  itemsOf: (changes: readonly ChangeView[]) => readonly Html[],
): Html {
  if (parts.every(({ heading }) => heading === undefined))
    return html`<ol class="changes" id="${id}">${itemsOf(all)}</ol>`;
  return html`<div class="change-parts" id="${id}">${parts.map(
    ({ heading = '', isFolded, changes: part }) => {
      const title = html`${heading} <span class="count">${figure(part.length)}</span>`;
      const items =
        part.length === 0
          ? html`<p class="empty">No changes.</p>`
          : html`<ol class="changes">${itemsOf(part)}</ol>`;
      return isFolded
        ? html`<details class="part"><summary>${title}</summary>${items}</details>
`
        : html`<div class="part"><p class="part-title">${title}</p>${items}</div>
`;
    },
  )}</div>`;
}

function dropped({ noLongerDeclared: all }: PlanView): Html | undefined {
  if (all.length === 0) return undefined;
  const rest = all.length - mostUndeclared;
  const chips = all.slice(0, mostUndeclared).map((one) => {
    const { address, field, place } = one;
    const title = place && html` title="${place.file}:${String(place.line)} (base)"`;
    return html`<li class="chip"${title}>${address}${field !== undefined && html` <span class="badge">${field}</span>`}</li>`;
  });
  return html`<details class="unmanaged"><summary>${partHeadings.dropped} <span class="count">${figure(all.length)}</span></summary>
<ul class="chips">${chips}${rest > 0 && html`<li class="more">and ${figure(rest)} more</li>`}</ul><p class="lead">The base declares them. They stay on the service as they are.</p></details>`;
}

/** The number and the name of each project that changes are about. */
export type ProjectNumbers = ReadonlyMap<string, { readonly number: number; readonly name: string }>;

export function numberProjects(entries: readonly PageEntry[]): ProjectNumbers {
  const organizations = new Set(entries.map(({ view }) => view.organization));
  const names = new Map(
    entries.flatMap((entry) =>
      (entry.view.plan?.changes ?? []).flatMap(({ projects }) =>
        projects.map((project) => {
          const whose = organizations.size > 1 ? ` (${entry.view.organization})` : '';
          return [projectKey(entry, project), `${project}${whose}`] as const;
        }),
      ),
    ),
  );
  const sorted = [...names].sort(([, a], [, b]) => (a < b ? -1 : 1));
  return new Map(sorted.map(([key, name], number) => [key, { number, name }]));
}

function projectKey({ view }: PageEntry, project: string): string {
  return JSON.stringify([view.organization, project]);
}

/** Equal updates: what they have in common, and a fold with each of them. */
function groupItem(group: ChangeGroup, { wording }: PageEntry, items: readonly Html[]): Html {
  const { members, fields } = group;
  const [first] = members;
  const noun = kindNouns[first?.kind ?? 'workspace'];
  const rows = fields.map(({ field, places }) => fieldRow(field, wording, places));
  return html`<li class="change-group">
<div class="change-head"><span class="sign update" aria-hidden="true">${actionSigns.update}</span><span class="sr">${wording.actions.update}</span> <h4>${countedFigure(members.length, noun)}</h4>${first?.outcome !== undefined && html` <span class="badge ${first.outcome}">${first.outcome}</span>`}</div>
${rows.length > 0 && html`<dl class="fields">${rows}</dl>`}${permissionList(first?.permissions ?? [])}<details class="members"><summary>${wording.eachChange}: ${namesText(members)}</summary><ol class="changes">${items}</ol></details></li>
`;
}

function undeclared({ undeclared: all, undeclaredHint }: PlanView): Html | undefined {
  if (all.length === 0) return undefined;
  const rest = all.length - mostUndeclared;
  const chips = all.slice(0, mostUndeclared).map(({ address, level, place }) => {
    const title = place && html` title="${place.file}:${String(place.line)}"`;
    return html`<li class="chip"${title}>${address}${level !== undefined && html` <span class="badge">${level}</span>`}</li>`;
  });
  return html`<details class="unmanaged"${all.length <= 20 && html` open`}><summary>Undeclared (Attune does not change them): ${figure(all.length)}</summary>
<ul class="chips">${chips}${rest > 0 && html`<li class="more">and ${figure(rest)} more</li>`}</ul>${undeclaredHint !== undefined && html`<p class="hint">Hint: ${undeclaredHint}</p>`}</details>`;
}

const kinds: Readonly<Record<ResourceKind, string>> = {
  project: 'projects',
  workspace: 'workspaces',
  'team-access': 'team access',
};

/** Most plans change no project: then the filter does not offer the kind. */
function shownKinds(changes: readonly ChangeView[]): readonly ResourceKind[] {
  return resourceKinds.filter((kind) => kind !== 'project' || changesOf(changes, kind).length > 0);
}

/** The filters of the changes of some root files, hidden until the script runs. */
export function filterForm(entries: readonly PageEntry[], list: string, projects: ProjectNumbers): Html {
  const plans = entries.flatMap(({ view }) => view.plan ?? []);
  const changes = plans.flatMap((plan) => plan.changes);
  const isApplied = plans.some(({ applied }) => applied);
  // A page of drift reports and plans has changes of both.
  const isDrift = entries.every(({ kind }) => kind === 'drift');
  const wording = isDrift ? wordings.drift : wordings.plan;
  const count = (test: (change: ChangeView) => boolean) => changes.filter(test).length;
  const byAction = actions.map((action) =>
    choice(
      'action',
      action,
      html`<span class="sign ${action}" aria-hidden="true">${actionSigns[action]}</span> ${wording.actions[action]}`,
      count((change) => change.action === action),
    ),
  );
  const byKind = shownKinds(changes).map((kind) =>
    choice('kind', kind, html`${kinds[kind]}`, changesOf(changes, kind).length),
  );
  // Few applies have changes with an unknown result, or interrupted ones.
  const isRare = (outcome: Ending) => outcome === 'unknown' || outcome === 'interrupted';
  const has = (outcome: Ending) => changes.some((change) => change.outcome === outcome);
  const shown = endings.filter((outcome) => !isRare(outcome) || has(outcome));
  const byResult = shown.map((outcome) =>
    choice(
      'result',
      outcome,
      html`${outcome}`,
      count((change) => change.outcome === outcome),
    ),
  );
  return html`<form class="filters" data-filters="${list}" role="search" aria-label="Filter changes" hidden>
<label class="search"><span class="label">Search</span><input type="search" name="text" placeholder="name, field, value, file" autocomplete="off" spellcheck="false"></label>
${group('Action', byAction)}${group('Kind', byKind)}${isApplied && group('Result', byResult)}${projects.size > 1 && projectSelect(projects)}
<button type="reset">Clear</button>
</form>
<p class="status" role="status" data-status="${list}" data-noun="${isDrift ? 'differences' : 'changes'}">${countedFigure(changes.length, isDrift ? 'difference' : 'change')}</p>`;
}

function group(legend: string, choices: readonly Fragment[]): Html | undefined {
  return choices.filter((one) => one !== undefined).length < 2
    ? undefined
    : html`<fieldset><legend class="label">${legend}</legend>${choices}</fieldset>`;
}

function choice(name: string, value: string, label: Html, count: number): Html | undefined {
  if (count === 0) return undefined;
  return html`<label class="choice"><input type="checkbox" name="${name}" value="${value}"><span>${label} <span class="count">${figure(count)}</span></span></label>`;
}

function projectSelect(projects: ProjectNumbers): Html {
  const options = [...projects.values()].map(
    ({ number, name }) => html`<option value="${number}">${shortenedLabel(name, 60)}</option>`,
  );
  return html`<label class="select"><span class="label">Project</span><select name="project"><option value="">all</option>${options}</select></label>`;
}
