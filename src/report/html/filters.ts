import { endings } from '../../model/apply-result.ts';
import { actions } from '../../model/change.ts';
import type { Plan, PlannedChange } from '../../model/plan.ts';
import {
  grantAddress,
  namesOfGrant,
  type ResourceKind,
  resourceKinds,
  workspaceAddress,
} from '../../model/state.ts';
import { driftWords, signs } from '../changes.ts';
import { escapeControls } from '../escape-controls.ts';
import type { Item } from '../items.ts';
import { countedFigure, figure, shortenedLabel } from '../words.ts';
import { signText } from './elements.ts';
import { type Html, html } from './escape.ts';

const kinds: Readonly<Record<ResourceKind, string>> = {
  project: 'projects',
  workspace: 'workspaces',
  'team-access': 'team access',
};

export function filterForm(items: readonly Item[], projects: readonly string[], isDrift: boolean): Html {
  const choices = <Value extends string>(
    name: string,
    values: readonly Value[],
    of: (item: Item) => Value | undefined,
    labelOf: (value: Value) => Html = (value) => html`${value}`,
  ) => {
    const counts = values.map((value) => items.filter((item) => of(item) === value).length);
    const shown = values.flatMap((value, index) => {
      const count = counts[index] ?? 0;
      if (count === 0) return [];
      return html`<label class="choice"><input type="checkbox" name="${name}" value="${value}"><span>${labelOf(value)} <span class="count">${figure(count)}</span></span></label>`;
    });
    // A group of less than two choices selects nothing.
    return shown.length < 2
      ? undefined
      : html`<fieldset><legend class="label">${name}</legend>${shown}</fieldset>`;
  };
  const options = projects.map(
    (name, number) => html`<option value="${number}">${shortenedLabel(name, 60)}</option>`,
  );
  const noun = isDrift ? 'difference' : 'change';
  return html`<form class="filters" data-filters="roots" role="search" aria-label="Filter changes" hidden>
<label class="search"><span class="label">Search</span><input type="search" name="text" placeholder="name, field, value, file" autocomplete="off" spellcheck="false"></label>
${choices(
  'action',
  actions,
  ({ change }) => change?.action,
  (one) =>
    html`<span class="sign ${one}" aria-hidden="true">${signText(signs[one])}</span> ${isDrift ? driftWords[one] : one}`,
)}${choices(
  'kind',
  resourceKinds,
  ({ change }) => change?.kind,
  (one) => html`${kinds[one]}`,
)}${choices('result', endings, ({ outcome }) => outcome)}${
  projects.length > 1 &&
  html`<label class="select"><span class="label">Project</span><select name="project"><option value="">all</option>${options}</select></label>`
}
<button type="reset">Clear</button>
</form>
<p class="status" role="status" data-status="roots" data-noun="${noun}s">${countedFigure(items.length, noun)}</p>
`;
}

export function projectNumbers(plans: readonly (Plan | undefined)[]) {
  const isOfSeveral = new Set(plans.flatMap((plan) => plan?.organization ?? [])).size > 1;
  const named = plans.map(
    (plan) => plan && projectsOfChanges(plan, isOfSeveral ? ` (${plan.organization})` : ''),
  );
  const names = [...new Set(named.flatMap((one) => [...(one?.values() ?? [])].flat()))].sort();
  const numbers = new Map(names.map((name, number) => [name, number]));
  // Both for a move.
  const numbersOf = (plan: number, address: string) =>
    (named[plan]?.get(address) ?? []).map((name) => numbers.get(name)).join(' ');
  return { names, numbersOf };
}

function projectsOfChanges(
  { changes, overview }: Plan,
  whose: string,
): ReadonlyMap<string, readonly string[]> {
  const known = new Map([
    ...overview.workspaces.map(({ name, project }) => [workspaceAddress(name), project] as const),
    ...overview.grants.map(({ project, team }) => [grantAddress(project, team), project] as const),
  ]);
  const namesOf = ({ kind, name, fields }: PlannedChange): readonly unknown[] => {
    const moved = fields.find(({ path }) => path === 'project');
    if (moved) return [moved.before, moved.after];
    // Files may call a project by its id or its name where the overview has its alias.
    const written = kind === 'project' ? name : kind === 'team-access' ? namesOfGrant(name).project : null;
    return [known.get(`${kind}.${name}`) ?? written];
  };
  return new Map(
    changes.map((change) => {
      const names = namesOf(change).filter((name) => typeof name === 'string');
      return [escapeControls(change.address), names.map((name) => name + whose)];
    }),
  );
}
