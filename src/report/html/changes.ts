import type { Ending } from '../../model/apply-result.ts';
import type { Call } from '../../model/plan.ts';
import { type ChangeGroup, groupChanges, isGroup, partHeadings } from '../change-lists.ts';
import type { ChangeView } from '../change-view.ts';
import type { PlanView } from '../report-view.ts';
import { kindNouns, namesText } from '../text/change-text.ts';
import { countedFigure, figure, placeText, shortenedLabel } from '../words.ts';
import { changeLink, chipList, section } from './elements.ts';
import { type Html, html } from './escape.ts';
import { fieldRow, permissionList } from './field.ts';
import { filterForm, numberProjects, type ProjectNumbers, projectKey } from './filter-form.ts';
import { actionSigns, type PageEntry } from './page-entry.ts';

/** How many undeclared workspaces and grants are named. */
const mostUndeclared = 500;

/** The list of changes with its filters; without them if those of the page filter all lists. */
export function changes(entry: PageEntry, shared?: ProjectNumbers): Html | undefined {
  const { wording, prefix, view } = entry;
  const { plan } = view;
  if (plan === undefined) return undefined;
  const id = `${prefix}-changes-list`;
  const numbers = shared ?? numberProjects([entry]);
  const numberOf = (project: string) => numbers.get(projectKey(entry, project))?.number;
  const itemOf = (change: ChangeView) => changeItem(change, entry, change.projects.map(numberOf).join(' '));
  const itemsOf = (part: readonly ChangeView[]) =>
    groupChanges(part, { full: entry.full }).map((item) =>
      isGroup(item) ? groupItem(item, entry, item.members.map(itemOf)) : itemOf(item),
    );
  const isEmpty = plan.changes.length === 0;
  return section(
    entry,
    'changes',
    html`${wording.changes} <span class="count">${figure(plan.changes.length)}</span>`,
    html`${wording.changesLead !== '' && !isEmpty && html`<p class="lead">${wording.changesLead}</p>`}${isEmpty ? html`<p class="empty">${plan.nothing}</p>` : html`${shared === undefined && filterForm([entry], id, numbers)}${list(plan, id, itemsOf)}`}
${dropped(plan)}${undeclared(plan)}`,
  );
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
  const chips = chipList(all, mostUndeclared, ({ address, field, place }) =>
    addressChip(address, field, place && `${placeText(place)} (base)`),
  );
  return html`<details class="unmanaged"><summary>${partHeadings.dropped} <span class="count">${figure(all.length)}</span></summary>
${chips}<p class="lead">The base declares them. They stay on the service as they are.</p></details>`;
}

function undeclared({ undeclared: all, undeclaredHint }: PlanView): Html | undefined {
  if (all.length === 0) return undefined;
  const chips = chipList(all, mostUndeclared, ({ address, level, place }) =>
    addressChip(address, level, place && placeText(place)),
  );
  return html`<details class="unmanaged"${all.length <= 20 && html` open`}><summary>Undeclared (Attune does not change them): ${figure(all.length)}</summary>
${chips}${undeclaredHint !== undefined && html`<p class="hint">Hint: ${undeclaredHint}</p>`}</details>`;
}

function addressChip(address: string, badge: string | undefined, title: string | undefined): Html {
  return html`<li class="chip"${title !== undefined && html` title="${title}"`}>${address}${badge !== undefined && html` <span class="badge">${badge}</span>`}</li>`;
}

/** Equal updates: what they have in common, and a fold with each of them. */
function groupItem(group: ChangeGroup, { wording }: PageEntry, items: readonly Html[]): Html {
  const { members, fields } = group;
  const [first] = members;
  const noun = kindNouns[first.kind];
  const rows = fields.map(({ field, places }) => fieldRow(field, wording, places));
  return html`<li class="change-group">
<div class="change-head"><span class="sign update" aria-hidden="true">${actionSigns.update}</span><span class="sr">${wording.actions.update}</span> <h4>${countedFigure(members.length, noun)}</h4>${first.outcome !== undefined && html` <span class="badge ${first.outcome}">${first.outcome}</span>`}</div>
${rows.length > 0 && html`<dl class="fields">${rows}</dl>`}${permissionList(first.permissions)}<details class="members"><summary>${wording.eachChange}: ${namesText(members)}</summary><ol class="changes">${items}</ol></details></li>
`;
}

const outcomeSigns: Readonly<Record<Ending, string>> = {
  done: '✓',
  failed: '✗',
  unknown: '?',
  partial: '✗',
  skipped: '⊘',
  held: '‖',
};

/** Bodies of calls are shown up to this many changes, and up to this many characters each. */
const mostWithBodies = 300;
const longestBody = 600;

/** One change: its address, its fields, and its calls. */
function changeItem(change: ChangeView, entry: PageEntry, projects: string): Html {
  const { address, isContinued, kind, action, word, recovery, outcome, place, fields, omitsPermissions } =
    change;
  const { wording, changeIds } = entry;
  const rest = omitsPermissions && html`<p class="aside">all other permissions: none</p>`;
  return html`<li class="change ${action}" ${isContinued ? 'data-also' : 'id'}="${changeIds.get(address) ?? ''}" data-action="${action}" data-kind="${kind}"${outcome !== undefined && html` data-result="${outcome}"`} data-projects="${projects}">
<div class="change-head"><span class="sign ${action}" aria-hidden="true">${actionSigns[action]}</span><span class="sr">${wording.actions[action]}</span> <h4>${addressText(address)}</h4>${outcome !== undefined && html` <span class="badge ${outcome}"><span aria-hidden="true">${outcomeSigns[outcome]}</span> ${outcome}</span>`}${action === 'delete' && wording.hasCalls && html` <span class="aside">${[word, recovery].filter(Boolean).join(', ')}</span>`}${place && html` <code class="place">${placeText(place)}</code>`}</div>
${failure(change)}${fields.length > 0 && html`<dl class="fields">${fields.map((field) => fieldRow(field, wording))}</dl>`}${rest}${permissionList(change.permissions)}${wording.hasCalls && callsOf(change, entry)}</li>
`;
}

/** The kind is dimmed. */
function addressText(address: string): Html {
  const dot = address.indexOf('.') + 1;
  return html`<code><span class="dim">${address.slice(0, dot)}</span>${address.slice(dot)}</code>`;
}

function failure({ error, outcome }: ChangeView): Html | undefined {
  if (error === undefined) return undefined;
  const request = error.method !== undefined && html` <code>${error.method} ${error.path ?? ''}</code>`;
  const status = error.status !== undefined && html` <span class="aside">status ${error.status}</span>`;
  return html`<p class="failure ${outcome ?? 'failed'}"><span class="message">${error.message}</span>${request}${status}</p>`;
}

function callsOf(change: ChangeView, entry: PageEntry): Html | undefined {
  const { calls, dependsOn } = change;
  if (calls.length === 0) return undefined;
  const isShort = entry.changeIds.size <= mostWithBodies;
  const after =
    dependsOn.length > 0 &&
    html`<p>After: ${dependsOn.map((address) => html`<code>${changeLink(address, entry)}</code> `)}</p>`;
  const order = dependsOn.length > 0 && `, after ${countedFigure(dependsOn.length, 'other change')}`;
  return html`<details class="calls"><summary>${countedFigure(calls.length, 'call')}${order}</summary>${after}<ol>${calls.map((call, index) => callItem(call, isMade(change, index), isShort))}</ol></details>`;
}

function isMade({ callsDone }: ChangeView, index: number): boolean | undefined {
  return callsDone === undefined ? undefined : index < callsDone;
}

function callItem({ method, path, body }: Call, made: boolean | undefined, isShort: boolean): Html {
  const state =
    made !== undefined && html` <span class="aside">${made ? '✓ completed' : 'not sent or failed'}</span>`;
  return html`<li><code>${method} ${path}</code>${state}${isShort && body !== undefined && html`<pre>${shortenedLabel(JSON.stringify(body), longestBody)}</pre>`}</li>`;
}
