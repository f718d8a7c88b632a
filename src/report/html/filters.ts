import { actions } from '../../model/change.ts';
import { actionSigns } from './change.ts';
import type { ChangeView, EntryView } from './entry.ts';
import { type Fragment, type Html, html } from './escape.ts';
import { counted, figure, shortened } from './words.ts';

const kinds = { workspace: 'workspaces', 'team-access': 'team access' } as const;
const outcomes = ['done', 'failed', 'skipped'] as const;

/** What narrows a list of changes down. It is hidden until the script that answers it runs. */
export function filterForm(view: EntryView, list: string, projects: readonly string[]): Html {
  const { changes, wording } = view;
  const count = (test: (change: ChangeView) => boolean) => changes.filter(test).length;
  const byAction = actions.map((action) =>
    choice(
      'action',
      action,
      html`<span class="sign ${action}" aria-hidden="true">${actionSigns[action]}</span> ${wording.actions[action]}`,
      count((change) => change.action === action),
    ),
  );
  const byKind = (['workspace', 'team-access'] as const).map((kind) =>
    choice(
      'kind',
      kind,
      html`${kinds[kind]}`,
      count((change) => change.kind === kind),
    ),
  );
  const byResult = outcomes.map((outcome) =>
    choice(
      'result',
      outcome,
      html`${outcome}`,
      count(({ result }) => result === outcome),
    ),
  );
  return html`<form class="filters" data-filters="${list}" role="search" aria-label="Filter changes" hidden>
<label class="search"><span class="label">Search</span><input type="search" name="text" placeholder="name, field, value, file" autocomplete="off" spellcheck="false"></label>
${group('Action', byAction)}${group('Kind', byKind)}${view.result && group('Result', byResult)}${projects.length > 1 && projectSelect(projects)}
<button type="reset">Clear</button>
</form>
<p class="status" role="status" data-status="${list}" data-noun="${view.kind === 'drift' ? 'differences' : 'changes'}">${counted(changes.length, view.kind === 'drift' ? 'difference' : 'change')}</p>`;
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

function projectSelect(projects: readonly string[]): Html {
  const options = projects.map(
    (project, index) => html`<option value="${index}">${shortened(project, 60)}</option>`,
  );
  return html`<label class="select"><span class="label">Project</span><select name="project"><option value="">all</option>${options}</select></label>`;
}
