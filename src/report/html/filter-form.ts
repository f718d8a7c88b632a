import { endings } from '../../model/apply-result.ts';
import { actions } from '../../model/change.ts';
import { type ResourceKind, resourceKinds } from '../../model/state.ts';
import type { ChangeView } from '../change-view.ts';
import { countedFigure, figure, shortenedLabel } from '../words.ts';
import { type Html, html } from './escape.ts';
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

/** The filters of the changes of some root files, hidden until the script runs. */
export function filterForm(entries: readonly PageEntry[], list: string, projects: ProjectNumbers): Html {
  const plans = entries.flatMap(({ view }) => view.plan ?? []);
  const changes = plans.flatMap((plan) => plan.changes);
  const isApplied = plans.some(({ applied }) => applied);
  // A page of drift reports and plans has changes of both.
  const isDrift = entries.every(({ view }) => view.kind === 'drift');
  const wording = isDrift ? wordings.drift : wordings.plan;
  const action = choices('action', changes, actions, {
    ofChange: (change) => change.action,
    labelOf: (one) =>
      html`<span class="sign ${one}" aria-hidden="true">${actionSigns[one]}</span> ${wording.actions[one]}`,
  });
  const kind = choices('kind', changes, resourceKinds, {
    ofChange: (change) => change.kind,
    labelOf: (one) => html`${kinds[one]}`,
  });
  const result = choices('result', changes, endings, {
    ofChange: ({ outcome }) => outcome,
    labelOf: (one) => html`${one}`,
  });
  return html`<form class="filters" data-filters="${list}" role="search" aria-label="Filter changes" hidden>
<label class="search"><span class="label">Search</span><input type="search" name="text" placeholder="name, field, value, file" autocomplete="off" spellcheck="false"></label>
${group('Action', action)}${group('Kind', kind)}${isApplied && group('Result', result)}${projects.size > 1 && projectSelect(projects)}
<button type="reset">Clear</button>
</form>
<p class="status" role="status" data-status="${list}" data-noun="${isDrift ? 'differences' : 'changes'}">${countedFigure(changes.length, isDrift ? 'difference' : 'change')}</p>`;
}

/** A group of less than two choices selects nothing. */
function group(legend: string, shown: readonly Html[]): Html | undefined {
  if (shown.length < 2) return undefined;
  return html`<fieldset><legend class="label">${legend}</legend>${shown}</fieldset>`;
}

interface Choice<Value> {
  readonly ofChange: (change: ChangeView) => Value | undefined;
  readonly labelOf: (value: Value) => Html;
}

/** A choice for each value that changes have. */
function choices<Value extends string>(
  name: string,
  changes: readonly ChangeView[],
  values: readonly Value[],
  { ofChange, labelOf }: Choice<Value>,
): readonly Html[] {
  return values.flatMap((value) => {
    const count = changes.filter((change) => ofChange(change) === value).length;
    return count === 0
      ? []
      : html`<label class="choice"><input type="checkbox" name="${name}" value="${value}"><span>${labelOf(value)} <span class="count">${figure(count)}</span></span></label>`;
  });
}

function projectSelect(projects: ProjectNumbers): Html {
  const options = [...projects.values()].map(
    ({ number, name }) => html`<option value="${number}">${shortenedLabel(name, 60)}</option>`,
  );
  return html`<label class="select"><span class="label">Project</span><select name="project"><option value="">all</option>${options}</select></label>`;
}
