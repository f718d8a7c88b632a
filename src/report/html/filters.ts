import { endings } from '../../model/apply-result.ts';
import { actions } from '../../model/change.ts';
import { type ResourceKind, resourceKinds } from '../../model/state.ts';
import { driftWords, signs } from '../changes.ts';
import type { Item } from '../items.ts';
import { countedFigure, figure } from '../words.ts';
import { signText } from './elements.ts';
import { type Html, html } from './escape.ts';

const kinds: Readonly<Record<ResourceKind, string>> = {
  project: 'projects',
  workspace: 'workspaces',
  'team-access': 'team access',
};

export function filterForm(items: readonly Item[], isDrift: boolean): Html {
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
)}${choices('result', endings, ({ outcome }) => outcome)}
<button type="reset">Clear</button>
</form>
<p class="status" role="status" data-status="roots" data-noun="${noun}s">${countedFigure(items.length, noun)}</p>
`;
}
