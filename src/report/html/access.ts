import { permissionChanges } from '../../model/change.ts';
import { fixedLevels, type Permission, permissionPaths, permissions } from '../../model/permissions.ts';
import type { GrantOverview, GrantState, Overview } from '../../model/plan.ts';
import type { AccessResult } from '../../model/results.ts';
import { accessTableOf, accessView } from '../access-text.ts';
import { type PermissionView, permissionViews, valueText } from '../values.ts';
import { countedFigure } from '../words.ts';
import { nameList, type PagePart, page, section } from './elements.ts';
import { type Html, html } from './escape.ts';

export function accessPage(result: AccessResult): string {
  const { organization, address, state } = result;
  const { title = 'Access', none, tables } = accessView(result);
  const sections = tables.map(
    (
      [head = [], ...body],
      index,
    ) => html`<section><div class="scroll" role="region" tabindex="0" aria-label="Table ${index + 1}"><table class="answer">
<thead><tr>${head.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>${body.map(
      ([first = '', ...cells]) =>
        html`<tr><th scope="row">${first}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`,
    )}</tbody></table></div></section>
`,
  );
  return page(
    `${title}: ${organization} - Attune`,
    html`<a class="skip" href="#content">Skip to the content</a>
<header class="top"><p class="brand">Attune</p><h1>${title}</h1></header>
<main id="content" tabindex="-1"><article class="entry"><h2>${organization}</h2> <span class="address">${address}</span>
<p class="lead">${state === 'live' ? 'The live state' : 'The state after the plan of the files'}</p>
${none !== undefined && html`<p>${none}</p>`}${sections}</article></main>`,
  );
}

export function access(
  { grants, workspaces, projects: read }: Pick<Overview, 'grants' | 'workspaces' | 'projects'>,
  part: PagePart,
): Html | undefined {
  if (grants.length === 0) return undefined;
  const changed = grants.filter(changedPermissions);
  const known = new Set(read ?? grants.map(({ project }) => project));
  const named = [...workspaces, ...grants].flatMap(({ project }) => project ?? []);
  const unknown = new Set(named.filter((project) => !known.has(project)).sort());
  const heading = html`Team access${changed.length > 0 && html` <span class="count">${countedFigure(changed.length, 'change')}</span>`}`;
  return section(
    part,
    'access',
    heading,
    html`<p class="lead">The access of each team to each project${part.kind === 'drift' && ', live → declared'}. Open a marked cell for its permissions.</p>${accessMatrix(grants, unknown, part)}${accessLegend()}${unknownProjects([...unknown])}`,
  );
}

function changedPermissions({ before, after }: GrantOverview): readonly PermissionView[] | undefined {
  const found = permissionChanges(before?.permissions, after?.permissions);
  return found.length > 0 || before?.access !== after?.access ? permissionViews(found) : undefined;
}

/** What an empty cell cannot show: the matrix has no row for a project whose team access was not read. */
function unknownProjects(projects: readonly string[]): Html | undefined {
  if (projects.length === 0) return undefined;
  const names = nameList(projects, { noun: 'project', nameOf: (project) => html`<b>${project}</b>` });
  return html`<p class="callout note">Team access of ${names}: unknown (not read).</p>`;
}

function accessMatrix(
  grants: readonly GrantOverview[],
  unknown: ReadonlySet<string>,
  { prefix }: PagePart,
): Html {
  const { isTeamsAcross, rows, columns, cellAt } = accessTableOf(grants);
  const corner = isTeamsAcross ? 'Project \\ Team' : 'Team \\ Project';
  const cellOf = (row: string, column: string) =>
    cell(cellAt(row, column), unknown.has(isTeamsAcross ? row : column));
  return html`<div class="scroll" role="region" tabindex="0" aria-labelledby="${prefix}-access-title"><table class="matrix">
<thead><tr><th scope="col" class="corner">${corner}</th>${columns.map((column) => html`<th scope="col"><span>${column}</span></th>`)}</tr></thead>
<tbody>${rows.map(
    (
      row,
    ) => html`<tr><th scope="row"><span>${row}</span></th>${columns.map((column) => cellOf(row, column))}</tr>
`,
  )}</tbody></table></div>`;
}

function cell(grant: GrantOverview | undefined, isUnknown: boolean): Html {
  if (grant === undefined && isUnknown) return html`<td class="no-access"><i>unknown</i></td>`;
  if (grant === undefined)
    return html`<td class="no-access"><span aria-hidden="true">·</span><span class="sr">no access</span></td>`;
  const { before, after } = grant;
  const changed = changedPermissions(grant);
  if (changed) {
    const tone = before === null ? 'create' : after === null ? 'delete' : 'update';
    const { sign, word } = direction(tone, changed);
    return html`<td class="changed ${tone}"><details><summary><span class="sign ${tone}" aria-hidden="true">${sign}</span><span class="sr">${word}: </span>${level(before)} → ${level(after)}</summary>${changed.length > 0 ? html`<ul class="permissions">${changed.map(permissionItem)}</ul>` : html`<p class="aside">no permission changes</p>`}</details></td>`;
  }
  // The legend explains the fixed levels once for all cells.
  return after?.access === 'custom'
    ? html`<td><details><summary>${level(after)}</summary><ul class="permissions">${heldItems(after)}</ul></details></td>`
    : html`<td>${level(after)}</td>`;
}

function permissionItem({ path, isGain, levels }: PermissionView): Html {
  const [tone, sign, verb] = isGain ? ['gain', '+', 'grants'] : ['loss', '−', 'revokes'];
  return html`<li class="${tone}"><b aria-hidden="true">${sign}</b> ${verb} <code>${path}</code> ${levels.map(valueText).join(' → ')}</li>`;
}

/** Whether a team gains or loses permissions, as a sign and a word, because color alone is not accessible. */
function direction(tone: 'create' | 'update' | 'delete', permissions: readonly PermissionView[]) {
  if (tone === 'create') return { sign: '+', word: 'gains' };
  if (tone === 'delete') return { sign: '−', word: 'loses' };
  const gains = permissions.filter(({ isGain }) => isGain).length;
  if (gains === 0 && permissions.length > 0) return { sign: '↓', word: 'loses permissions' };
  return gains > 0 && gains === permissions.length
    ? { sign: '↑', word: 'gains permissions' }
    : { sign: '~', word: 'changes' };
}

function level(grant: GrantState | null): Html {
  return grant === null ? html`<i>none</i>` : html`${grant.access}`;
}

function heldItems({ permissions: given }: GrantState): readonly Html[] {
  return permissionPaths.flatMap((path) => {
    // A permission that only some servers have may not exist on this one.
    const permission = given[path] ?? (permissions[path].only === undefined && 'unknown');
    if (permission === false || permission === 'none') return [];
    return html`<li><code>${path}</code>${permission !== true && ` ${permission}`}</li>`;
  });
}

function accessLegend(): Html {
  const head = fixedLevels.map((level) => html`<th scope="col">${level}</th>`);
  const rows = permissionPaths.map((path) => {
    const levels = permissions[path].implied;
    return (
      levels &&
      html`<tr><th scope="row"><code>${path}</code></th>${fixedLevels.map((level) => implied(levels[level]))}</tr>`
    );
  });
  return html`<details class="fold"><summary>Permissions of each level</summary><div class="scroll" role="region" tabindex="0" aria-label="Permissions of each level"><table class="levels"><thead><tr><th scope="col">Permission</th>${head}</tr></thead><tbody>${rows}</tbody></table></div></details>`;
}

function implied(permission: Permission): Html {
  if (permission === false || permission === 'none')
    return html`<td class="no-access"><span aria-hidden="true">·</span><span class="sr">no</span></td>`;
  return html`<td>${permission === true ? 'yes' : permission}</td>`;
}
