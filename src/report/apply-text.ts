import type { AppliedChange, ApplyResult, Outcome } from '../model/apply-result.ts';
import type { Action } from '../model/change.ts';
import { escapeControls } from './escape-controls.ts';
import { type Paint, plain, type Style } from './paint.ts';
import { actionStyles, counted, signs } from './plan-text.ts';

const outcomeStyles: Readonly<Record<Outcome, Style>> = { done: 'green', failed: 'red', skipped: 'yellow' };

/** What became of each change, and the sum of it. */
export function renderApplyText(result: ApplyResult, paint: Paint = plain): string {
  const lines = result.changes.map((change) => `  ${changeLine(change, paint)}`);
  return `${[...lines, '', summary(result)].join('\n')}\n`;
}

function changeLine(change: AppliedChange, paint: Paint): string {
  const word = paint(outcomeStyles[change.result], change.result.padEnd(7));
  const sign = paint(actionStyles[change.action], signs[change.action]);
  const line = `${word}  ${sign} ${escapeControls(change.address)}`;
  if (change.error === undefined) return line;
  const made =
    change.callsDone > 0 ? ` (${change.callsDone} of ${counted(change.calls.length, 'call')} made)` : '';
  return `${line}\n             ${escapeControls(change.error.message)}${made}`;
}

function summary({ changes }: ApplyResult): string {
  const done = (action: Action) =>
    changes.filter((change) => change.result === 'done' && change.action === action).length;
  const ended = (result: Outcome) => changes.filter((change) => change.result === result).length;
  const calls = changes.reduce((sum, change) => sum + change.callsDone, 0);
  const failures =
    ended('failed') + ended('skipped') > 0 ? `, ${ended('failed')} failed, ${ended('skipped')} skipped` : '';
  return `Applied: ${done('create')} created, ${done('update')} updated, ${done('delete')} deleted${failures}. ${counted(calls, 'call')}.`;
}
