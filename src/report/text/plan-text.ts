import type { Action } from '../../model/change.ts';
import type { ChangeView } from '../change-view.ts';
import type { Paint, Style } from '../paint.ts';
import type { PlanView } from '../report-view.ts';
import { noChanges } from '../summaries.ts';
import { fieldLines, permissionLines } from './change-text.ts';
import { moveSentence, stateAccessTexts } from './effects-text.ts';

export const signs: Readonly<Record<Action, string>> = { create: '+', update: '~', delete: '-' };
export const actionStyles: Readonly<Record<Action, Style>> = {
  create: 'green',
  update: 'yellow',
  delete: 'red',
};

/** Where the right-hand column of a change starts, counted from its address. */
const addressWidth = 45;

/** The plan for a terminal. */
export function planText(plan: PlanView, summary: string, paint: Paint): string {
  const lines = [heading(plan, paint), ''];
  for (const change of plan.changes) lines.push(...changeLines(change, paint));
  if (plan.changes.length > 0) lines.push('');
  lines.push(...effectLines(plan), ...undeclaredLines(plan.undeclared, paint));
  if (plan.changes.length === 0) lines.push(noChanges);
  lines.push(summary);
  return `${lines.join('\n')}\n`;
}

export function heading({ organization, address }: PlanView, paint: Paint): string {
  return `${paint('bold', organization)}  ${address}`;
}

function changeLines(change: ChangeView, paint: Paint): string[] {
  return [
    `  ${changeLine(change, paint)}`,
    ...fieldLines(change).map((text) => `      ${text}`),
    ...permissionLines(change.permissions).map((text) => `        ${text}`),
  ];
}

/** Sign and address; on the right the mode of a delete and the declaring line. */
function changeLine({ action, address, word, location }: ChangeView, paint: Paint): string {
  const right = [
    ...(action === 'delete' ? [word] : []),
    ...(location ? [`${location.file}:${location.line}`] : []),
  ].join('  ');
  const sign = paint(actionStyles[action], signs[action]);
  return `${sign} ${address.padEnd(addressWidth - 2)}  ${paint('dim', right)}`.trimEnd();
}

/** Effects that no field shows: state access, and the access of teams after a move. */
function effectLines({ stateAccess, moves }: PlanView): string[] {
  const lines = [
    ...stateAccess.flatMap((change) => stateAccessTexts(change)),
    ...moves.flatMap((move) => {
      const { head, rest } = moveSentence(move);
      return [head, ...rest.map((line) => `  ${line}`)];
    }),
  ];
  return lines.length === 0 ? [] : ['Effects:', ...lines.map((line) => `  ${line}`), ''];
}

function undeclaredLines(undeclared: readonly string[], paint: Paint): string[] {
  if (undeclared.length === 0) return [];
  return [
    'Undeclared workspaces in scope (Attune does not change them):',
    ...undeclared.map((address) => `  ${paint('dim', '?')} ${address}`),
    '',
  ];
}
