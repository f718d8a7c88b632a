import type { AppliedChange, ApplyResult, Outcome } from '../../model/apply-result.ts';
import { escapeControls } from '../escape-controls.ts';
import { type Paint, plain, type Style } from '../paint.ts';
import { failureText } from './change-text.ts';
import { actionStyles, signs } from './plan-text.ts';
import { appliedSummary } from './summary-text.ts';

const outcomeStyles: Readonly<Record<Outcome, Style>> = { done: 'green', failed: 'red', skipped: 'yellow' };

/** What became of each change, and the sum of it. */
export function renderApplyText(result: ApplyResult, paint: Paint = plain): string {
  const lines = result.changes.map((change) => `  ${changeLine(change, paint)}`);
  return `${[...lines, '', appliedSummary(result)].join('\n')}\n`;
}

function changeLine(change: AppliedChange, paint: Paint): string {
  const word = paint(outcomeStyles[change.result], change.result.padEnd(7));
  const sign = paint(actionStyles[change.action], signs[change.action]);
  const line = `${word}  ${sign} ${escapeControls(change.address)}`;
  if (change.error === undefined) return line;
  return `${line}\n             ${failureText(change)}`;
}
