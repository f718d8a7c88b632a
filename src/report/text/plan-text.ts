import type { Action } from '../../model/change.ts';
import type { Plan, PlannedChange } from '../../model/plan.ts';
import { escapeControls } from '../escape-controls.ts';
import { type Paint, plain, type Style } from '../paint.ts';
import { actionText, fieldLines } from './change-text.ts';
import { moveLines, stateAccessLines } from './effects-text.ts';
import { grantLines } from './field-text.ts';
import { plannedSummary } from './summary-text.ts';

export const signs: Readonly<Record<Action, string>> = { create: '+', update: '~', delete: '-' };
export const actionStyles: Readonly<Record<Action, Style>> = {
  create: 'green',
  update: 'yellow',
  delete: 'red',
};

/** Where the right-hand column of a change starts, counted from its address. */
const addressWidth = 45;

/** The plan as people read it in a terminal. */
export function renderPlanText(plan: Plan, paint: Paint = plain): string {
  const lines = [heading(plan, paint), ''];
  for (const change of plan.changes) lines.push(...changeLines(change, paint));
  if (plan.changes.length > 0) lines.push('');
  lines.push(...effectLines(plan), ...unmanagedLines(plan.unmanaged, paint));
  if (plan.changes.length === 0) lines.push('No changes: what is live is as declared.');
  lines.push(plannedSummary(plan));
  return `${lines.join('\n')}\n`;
}

export function heading({ organization, address }: Plan, paint: Paint): string {
  return `${paint('bold', escapeControls(organization))}  ${escapeControls(address)}`;
}

function changeLines(change: PlannedChange, paint: Paint): string[] {
  return [
    `  ${changeLine(change, paint)}`,
    ...fieldLines(change).map((text) => `      ${text}`),
    ...grantLines(change.grants ?? []).map((text) => `        ${text}`),
  ];
}

/** Sign, address, and on the right what points at the reason: the declaring line, or how it is deleted. */
export function changeLine(change: PlannedChange, paint: Paint): string {
  const { location } = change;
  const right = [
    ...(change.action === 'delete' ? [actionText(change)] : []),
    ...(location ? [`${location.file}:${location.line}`] : []),
  ].join('  ');
  const address = escapeControls(change.address);
  const sign = paint(actionStyles[change.action], signs[change.action]);
  return `${sign} ${address.padEnd(addressWidth - 2)}  ${paint('dim', escapeControls(right))}`.trimEnd();
}

/** What the fields above do not say by themselves: who reads whose state, and what a move means for the teams. */
function effectLines({ effects }: Plan): string[] {
  const lines = [...stateAccessLines(effects), ...moveLines(effects)];
  return lines.length === 0 ? [] : ['What it means:', ...lines.map((line) => `  ${line}`), ''];
}

function unmanagedLines(unmanaged: readonly string[], paint: Paint): string[] {
  if (unmanaged.length === 0) return [];
  return [
    'Live in scope, declared by no file, left alone:',
    ...unmanaged.map((address) => `  ${paint('dim', '?')} ${escapeControls(address)}`),
    '',
  ];
}
