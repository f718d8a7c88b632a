import type { FieldChange } from '../../model/change.ts';
import { permissionChanges } from '../../model/permission-changes.ts';
import { permissionPaths } from '../../model/permissions.ts';
import type { GrantOverview, GrantState } from '../../model/plan.ts';
import { grantLines } from '../text/field-text.ts';
import type { EntryView } from './entry.ts';
import { type Html, html } from './escape.ts';
import { permissionList } from './permission-list.ts';

/** The level of every team in every project. What there is less of stands across. */
export function accessMatrix(grants: readonly GrantOverview[], view: EntryView): Html {
  const projects = [...new Set(grants.map(({ project }) => project))].sort();
  const teams = [...new Set(grants.map(({ team }) => team))].sort();
  const cells = new Map(grants.map((grant) => [cellKey(grant.project, grant.team), grant]));
  const teamsAcross = teams.length <= projects.length;
  const [rows, columns] = teamsAcross ? [projects, teams] : [teams, projects];
  const corner = teamsAcross ? 'Project \\ Team' : 'Team \\ Project';
  const cellOf = (row: string, column: string) =>
    cells.get(teamsAcross ? cellKey(row, column) : cellKey(column, row));
  return html`<div class="scroll" role="region" tabindex="0" aria-labelledby="${view.prefix}-access-title"><table class="matrix">
<thead><tr><th scope="col" class="corner">${corner}</th>${columns.map((column) => html`<th scope="col"><span>${column}</span></th>`)}</tr></thead>
<tbody>${rows.map(
    (
      row,
    ) => html`<tr><th scope="row"><span>${row}</span></th>${columns.map((column) => cell(cellOf(row, column)))}</tr>
`,
  )}</tbody></table></div>`;
}

function cellKey(project: string, team: string): string {
  return JSON.stringify([project, team]);
}

function cell(grant: GrantOverview | undefined): Html {
  if (grant === undefined)
    return html`<td class="no-access"><span aria-hidden="true">·</span><span class="sr">no access</span></td>`;
  const { before, after } = grant;
  const differences = permissionChanges(before?.permissions, after?.permissions);
  const isChanged = differences.length > 0 || before?.access !== after?.access;
  if (isChanged) {
    const tone = before === null ? 'create' : after === null ? 'delete' : 'update';
    const { sign, word } = direction(tone, differences);
    return html`<td class="changed ${tone}"><details><summary><span class="sign ${tone}" aria-hidden="true">${sign}</span><span class="sr">${word}: </span>${level(before)} → ${level(after)}</summary>${permissionList(differences) ?? html`<p class="aside">the same permissions</p>`}</details></td>`;
  }
  // What a fixed level means stands in the legend, once for all cells.
  return after?.access === 'custom'
    ? html`<td><details><summary>${level(after)}</summary>${held(after)}</details></td>`
    : html`<td>${level(after)}</td>`;
}

/** Whether a team may do more or less than before, told without colour too. */
function direction(
  tone: 'create' | 'update' | 'delete',
  differences: readonly FieldChange[],
): { readonly sign: string; readonly word: string } {
  if (tone !== 'update')
    return tone === 'create' ? { sign: '+', word: 'gains' } : { sign: '−', word: 'loses' };
  const [first, ...rest] = grantLines(differences);
  if (first === undefined || rest.length > 0) return { sign: '~', word: 'changes' };
  return first.startsWith('grants ')
    ? { sign: '↑', word: 'may do more' }
    : { sign: '↓', word: 'may do less' };
}

function level(state: GrantState | null): Html {
  return state === null ? html`<i>none</i>` : html`${state.access}`;
}

/** What a grant comes to; what it does not give is left out. */
function held(state: GrantState | null): Html {
  const given = permissionPaths.flatMap((path) => {
    const permission = state?.permissions[path];
    if (permission === undefined || permission === false || permission === 'none') return [];
    return [html`<li><code>${path}</code>${permission !== true && ` ${permission}`}</li>`];
  });
  return html`<ul class="permissions">${given}</ul>`;
}
