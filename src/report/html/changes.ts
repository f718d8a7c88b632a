import type { Ending } from '../../model/apply-result.ts';
import type { Call } from '../../model/plan.ts';
import type { ChangeGroup } from '../change-lists.ts';
import type { ChangeView } from '../change-view.ts';
import { countOf } from '../findings.ts';
import type { Section, SectionName } from '../sections.ts';
import { kindNouns, namesText } from '../text/change-text.ts';
import { countedFigure, figure, placeText, shortenedLabel } from '../words.ts';
import { changeLink, chipList, section } from './elements.ts';
import { type Html, html } from './escape.ts';
import { fieldRow, permissionList } from './field.ts';
import { filterForm, numberProjects, type ProjectNumbers, projectKey } from './filter-form.ts';
import { actionSigns, type PageEntry } from './page-entry.ts';

/** How many undeclared workspaces and grants are named. */
const mostChips = 500;

/** The list of changes with its filters; without them if those of the page filter all lists. */
export function changes(entry: PageEntry, shared?: ProjectNumbers): Html | undefined {
  const { wording, prefix, view, sections } = entry;
  const { plan } = view;
  if (plan === undefined) return undefined;
  const id = `${prefix}-changes-list`;
  const numbers = shared ?? numberProjects([entry]);
  const numberOf = (project: string) => numbers.get(projectKey(entry, project))?.number;
  const itemOf = (change: ChangeView) =>
    changeElement(change, entry, change.projects.map(numberOf).join(' '));
  const list = ({ items }: Pick<Section, 'items'>) =>
    items.map(({ change, group, head }) => {
      if (group) return groupElement(group, entry, group.members.map(itemOf));
      return change ? itemOf(change) : html`<li class="empty">${head}</li>`;
    });
  const isEmpty = plan.changes.length === 0;
  const ofName = (name: SectionName) => sections.filter((section) => section.name === name);
  const parts = ofName('part').map((part) => partOf(part, html`<ol class="changes">${list(part)}</ol>`));
  const all = list({ items: ofName('changes').flatMap(({ items }) => items) });
  return section(
    entry,
    'changes',
    html`${wording.changes} <span class="count">${figure(plan.changes.length)}</span>`,
    html`${wording.changesLead !== '' && !isEmpty && html`<p class="lead">${wording.changesLead}</p>`}${
      isEmpty
        ? html`<p class="empty">${plan.nothing}</p>`
        : html`${shared === undefined && filterForm([entry], id, numbers)}<div id="${id}">${all.length > 0 && html`<ol class="changes">${all}</ol>`}${parts}</div>`
    }
${[...ofName('dropped'), ...ofName('undeclared')].map(namedSection)}`,
  );
}

/** With a base, what was already different is folded. */
function partOf({ title, level, items }: Section, list: Html): Html {
  const heading = html`${title} <span class="count">${figure(countOf(items))}</span>`;
  return level === 'high'
    ? html`<div class="part"><p class="part-title">${heading}</p>${list}</div>
`
    : html`<details class="part"><summary>${heading}</summary>${list}</details>
`;
}

/** What is only named. */
function namedSection({ name, title, items, notes }: Section): Html {
  const chips = chipList(
    items,
    mostChips,
    ({ head, detail, place }) =>
      html`<li class="chip"${place && html` title="${placeText(place)}"`}>${head}${detail !== undefined && html` <span class="badge">${detail}</span>`}</li>`,
  );
  return html`<details class="unmanaged"${name === 'undeclared' && items.length <= 20 && html` open`}><summary>${title} <span class="count">${figure(items.length)}</span></summary>
${chips}${notes.map((note) => html`<p class="hint">${note}</p>`)}</details>`;
}

/** Equal updates: what they have in common, and a fold with each of them. */
function groupElement(group: ChangeGroup, { wording }: PageEntry, items: readonly Html[]): Html {
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
function changeElement(change: ChangeView, entry: PageEntry, projects: string): Html {
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
