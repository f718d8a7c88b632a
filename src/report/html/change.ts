import type { Outcome } from '../../model/apply-result.ts';
import type { Call } from '../../model/plan.ts';
import { type ChangeView, type EntryView, placeText } from './entry.ts';
import { type Html, html } from './escape.ts';
import { fieldRow } from './field.ts';
import { permissionList } from './permission-list.ts';
import { counted, shortened } from './words.ts';

export const actionSigns = { create: '+', update: '~', delete: '−' } as const;
const outcomeSigns: Readonly<Record<Outcome, string>> = { done: '✓', failed: '✗', skipped: '⊘' };

/** How much of the body of a call is shown; in a long list only the fields tell it. */
const mostWithBodies = 300;
const longestBody = 600;

/** One change: what it is about, what differs, and the calls that make it. */
export function changeItem(change: ChangeView, view: EntryView, projects: string): Html {
  const { address, kind, action, result, location, fields } = change;
  const id = view.changeIds.get(address) ?? '';
  const isNew = action === 'create';
  // What a new grant does not give is not worth a line each.
  const told =
    isNew && kind === 'team-access'
      ? fields.filter(({ after }) => after !== 'none' && after !== false)
      : fields;
  const rest = told.length < fields.length && html`<p class="aside">all other permissions: none</p>`;
  return html`<li class="change ${action}" id="${id}" data-action="${action}" data-kind="${kind}"${result !== undefined && html` data-result="${result}"`} data-projects="${projects}">
<div class="change-head"><span class="sign ${action}" aria-hidden="true">${actionSigns[action]}</span><span class="sr">${view.wording.actions[action]}</span> <h4>${addressText(address)}</h4>${result !== undefined && html` <span class="badge ${result}"><span aria-hidden="true">${outcomeSigns[result]}</span> ${result}</span>`}${action === 'delete' && view.kind !== 'drift' && html` <span class="aside">${deletionText(change)}</span>`}${location && html` <code class="place">${placeText(view, location)}</code>`}</div>
${failure(change)}${told.length > 0 && html`<dl class="fields">${told.map((field) => fieldRow(field, isNew, view.wording))}</dl>`}${rest}${permissionList(change.grants ?? [])}${view.kind !== 'drift' && callsOf(change, view)}</li>
`;
}

/** The kind is set back behind the name. */
function addressText(address: string): Html {
  const dot = address.indexOf('.') + 1;
  return html`<code><span class="dim">${address.slice(0, dot)}</span>${address.slice(dot)}</code>`;
}

function deletionText({ kind, calls }: ChangeView): string {
  if (kind === 'team-access') return 'revoke';
  return calls[0]?.method === 'DELETE' ? 'force delete' : 'safe delete';
}

function failure({ error, result, calls, callsDone = 0 }: ChangeView): Html | undefined {
  if (error === undefined) return undefined;
  const request = error.method !== undefined && html` <code>${error.method} ${error.path ?? ''}</code>`;
  const status = error.status !== undefined && html` <span class="aside">status ${error.status}</span>`;
  const made =
    callsDone > 0 && html` <span class="aside">${callsDone} of ${counted(calls.length, 'call')} made</span>`;
  return html`<p class="failure ${result ?? 'failed'}"><span class="message">${error.message}</span>${request}${status}${made}</p>`;
}

function callsOf(change: ChangeView, view: EntryView): Html | undefined {
  const { calls, dependsOn } = change;
  if (calls.length === 0) return undefined;
  const isShort = view.changes.length <= mostWithBodies;
  const after =
    dependsOn.length > 0 &&
    html`<p>After: ${dependsOn.map((address) => html`<code>${changeLink(address, view)}</code> `)}</p>`;
  const order = dependsOn.length > 0 && `, after ${counted(dependsOn.length, 'other change')}`;
  return html`<details class="calls"><summary>${counted(calls.length, 'call')}${order}</summary>${after}<ol>${calls.map((call, index) => callItem(call, isMade(change, index), isShort))}</ol></details>`;
}

function isMade({ callsDone }: ChangeView, index: number): boolean | undefined {
  return callsDone === undefined ? undefined : index < callsDone;
}

function callItem({ method, path, body }: Call, made: boolean | undefined, isShort: boolean): Html {
  const state = made !== undefined && html` <span class="aside">${made ? '✓ made' : 'not made'}</span>`;
  return html`<li><code>${method} ${path}</code>${state}${isShort && body !== undefined && html`<pre>${shortened(JSON.stringify(body), longestBody)}</pre>`}</li>`;
}

function changeLink(address: string, { changeIds }: EntryView): Html {
  const id = changeIds.get(address);
  return id === undefined ? html`${address}` : html`<a href="#${id}">${address}</a>`;
}
