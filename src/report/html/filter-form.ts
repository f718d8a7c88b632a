import { type Ending, endings } from '../../model/apply-result.ts';
import { actions, changesOf } from '../../model/change.ts';
import { type ResourceKind, resourceKinds } from '../../model/state.ts';
import type { ChangeView } from '../change-view.ts';
import { countedFigure, figure, shortenedLabel } from '../words.ts';
import { type Fragment, type Html, html } from './escape.ts';
import { actionSigns, type PageEntry, wordings } from './page-entry.ts';

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

export function projectKey({ view }: PageEntry, project: string): string {
  return JSON.stringify([view.organization, project]);
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
  const isDrift = entries.every(({ view }) => view.kind === 'drift');
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
