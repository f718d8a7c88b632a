import {
  fixedLevels,
  type Permission,
  type PermissionSpec,
  permissionPaths,
  permissions,
} from '../../model/permissions.ts';
import type { AccessView, GrantView, HeldPermission } from '../access-view.ts';
import { type Html, html } from './escape.ts';
import type { PageEntry } from './page-entry.ts';
import { permissionList } from './permission-list.ts';

/** The access level of each team in each project. The shorter list forms the columns. */
export function accessMatrix({ grants, unknown }: AccessView, { prefix }: PageEntry): Html {
  const projects = [...new Set(grants.map(({ project }) => project))].sort();
  const teams = [...new Set(grants.map(({ team }) => team))].sort();
  const cells = new Map(grants.map((grant) => [cellKey(grant.project, grant.team), grant]));
  const teamsAcross = teams.length <= projects.length;
  const [rows, columns] = teamsAcross ? [projects, teams] : [teams, projects];
  const corner = teamsAcross ? 'Project \\ Team' : 'Team \\ Project';
  const unread = new Set(unknown);
  const cellOf = (row: string, column: string) => {
    const [project, team] = teamsAcross ? [row, column] : [column, row];
    return cell(cells.get(cellKey(project, team)), unread.has(project));
  };
  return html`<div class="scroll" role="region" tabindex="0" aria-labelledby="${prefix}-access-title"><table class="matrix">
<thead><tr><th scope="col" class="corner">${corner}</th>${columns.map((column) => html`<th scope="col"><span>${column}</span></th>`)}</tr></thead>
<tbody>${rows.map(
    (
      row,
    ) => html`<tr><th scope="row"><span>${row}</span></th>${columns.map((column) => cellOf(row, column))}</tr>
`,
  )}</tbody></table></div>`;
}

function cellKey(project: string, team: string): string {
  return JSON.stringify([project, team]);
}

function cell(grant: GrantView | undefined, isUnknown: boolean): Html {
  if (grant === undefined && isUnknown) return html`<td class="no-access"><i>unknown</i></td>`;
  if (grant === undefined)
    return html`<td class="no-access"><span aria-hidden="true">·</span><span class="sr">no access</span></td>`;
  const { before, after, isChanged, permissions, held } = grant;
  if (isChanged) {
    const tone = before === null ? 'create' : after === null ? 'delete' : 'update';
    const { sign, word } = direction(tone, grant);
    return html`<td class="changed ${tone}"><details><summary><span class="sign ${tone}" aria-hidden="true">${sign}</span><span class="sr">${word}: </span>${level(before)} → ${level(after)}</summary>${permissionList(permissions) ?? html`<p class="aside">no permission changes</p>`}</details></td>`;
  }
  // The legend explains the fixed levels once for all cells.
  return after === 'custom'
    ? html`<td><details><summary>${level(after)}</summary><ul class="permissions">${held.map(heldItem)}</ul></details></td>`
    : html`<td>${level(after)}</td>`;
}

/** Whether a team gains or loses permissions, as a sign and a word, because color alone is not accessible. */
function direction(
  tone: 'create' | 'update' | 'delete',
  { permissions }: GrantView,
): { readonly sign: string; readonly word: string } {
  if (tone === 'create') return { sign: '+', word: 'gains' };
  if (tone === 'delete') return { sign: '−', word: 'loses' };
  const gains = permissions.filter(({ isGain }) => isGain).length;
  if (gains === 0 && permissions.length > 0) return { sign: '↓', word: 'loses permissions' };
  return gains > 0 && gains === permissions.length
    ? { sign: '↑', word: 'gains permissions' }
    : { sign: '~', word: 'changes' };
}

function level(access: string | null): Html {
  return access === null ? html`<i>none</i>` : html`${access}`;
}

function heldItem({ path, level }: HeldPermission): Html {
  return html`<li><code>${path}</code>${level !== true && ` ${level}`}</li>`;
}

/** The permissions that each level implies. */
export function accessLegend(): Html {
  const head = fixedLevels.map((level) => html`<th scope="col">${level}</th>`);
  const rows = permissionPaths.flatMap((path) => {
    const spec: PermissionSpec = permissions[path];
    const levels = spec.implied;
    return levels
      ? [
          html`<tr><th scope="row"><code>${path}</code></th>${fixedLevels.map((level) => implied(levels[level]))}</tr>`,
        ]
      : [];
  });
  return html`<details class="fold"><summary>Permissions of each level</summary><div class="scroll" role="region" tabindex="0" aria-label="Permissions of each level"><table class="levels"><thead><tr><th scope="col">Permission</th>${head}</tr></thead><tbody>${rows}</tbody></table></div></details>`;
}

function implied(permission: Permission): Html {
  if (permission === false || permission === 'none')
    return html`<td class="no-access"><span aria-hidden="true">·</span><span class="sr">no</span></td>`;
  return html`<td>${permission === true ? 'yes' : permission}</td>`;
}
