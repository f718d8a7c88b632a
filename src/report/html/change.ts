import type { Ending } from '../../model/apply-result.ts';
import type { Call } from '../../model/plan.ts';
import type { ChangeView } from '../change-view.ts';
import { countedFigure, shortenedLabel } from '../words.ts';
import { type Html, html } from './escape.ts';
import { fieldRow } from './field.ts';
import type { PageEntry } from './page-entry.ts';
import { permissionList } from './permission-list.ts';

export const actionSigns = { create: '+', update: '~', delete: '−' } as const;
const outcomeSigns: Readonly<Record<Ending, string>> = {
  done: '✓',
  failed: '✗',
  unknown: '?',
  interrupted: '✗',
  skipped: '⊘',
  held: '⏸',
};

/** Bodies of calls are shown up to this many changes, and up to this many characters each. */
const mostWithBodies = 300;
const longestBody = 600;

/** One change: its address, its fields, and its calls. */
export function changeItem(change: ChangeView, entry: PageEntry, projects: string): Html {
  const { address, isContinued, kind, action, word, recovery, outcome, place, fields, omitsPermissions } =
    change;
  const { wording, changeIds } = entry;
  const rest = omitsPermissions && html`<p class="aside">all other permissions: none</p>`;
  return html`<li class="change ${action}" ${isContinued ? 'data-also' : 'id'}="${changeIds.get(address) ?? ''}" data-action="${action}" data-kind="${kind}"${outcome !== undefined && html` data-result="${outcome}"`} data-projects="${projects}">
<div class="change-head"><span class="sign ${action}" aria-hidden="true">${actionSigns[action]}</span><span class="sr">${wording.actions[action]}</span> <h4>${addressText(address)}</h4>${outcome !== undefined && html` <span class="badge ${outcome}"><span aria-hidden="true">${outcomeSigns[outcome]}</span> ${outcome}</span>`}${action === 'delete' && wording.hasCalls && html` <span class="aside">${[word, recovery].filter(Boolean).join(', ')}</span>`}${place && html` <code class="place">${place.file}:${place.line}</code>`}</div>
${failure(change)}${fields.length > 0 && html`<dl class="fields">${fields.map((field) => fieldRow(field, wording))}</dl>`}${rest}${permissionList(change.permissions)}${wording.hasCalls && callsOf(change, entry)}</li>
`;
}

/** The kind is dimmed. */
function addressText(address: string): Html {
  const dot = address.indexOf('.') + 1;
  return html`<code><span class="dim">${address.slice(0, dot)}</span>${address.slice(dot)}</code>`;
}

function failure({ error, outcome, calls, callsDone = 0 }: ChangeView): Html | undefined {
  if (error === undefined) return undefined;
  const request = error.method !== undefined && html` <code>${error.method} ${error.path ?? ''}</code>`;
  const status = error.status !== undefined && html` <span class="aside">status ${error.status}</span>`;
  const made =
    callsDone > 0 &&
    outcome !== 'interrupted' &&
    html` <span class="aside">${callsDone} of ${countedFigure(calls.length, 'call')} completed</span>`;
  return html`<p class="failure ${outcome ?? 'failed'}"><span class="message">${error.message}</span>${request}${status}${made}</p>`;
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

function changeLink(address: string, { changeIds }: PageEntry): Html {
  const id = changeIds.get(address);
  return id === undefined ? html`${address}` : html`<a href="#${id}">${address}</a>`;
}
