import type { Plan, PlannedChange } from '../../model/plan.ts';
import { escapeControls } from '../escape-controls.ts';
import { type Paint, plain } from '../paint.ts';
import { driftLines, driftWords } from './change-text.ts';
import { actionStyles, heading } from './plan-text.ts';
import { driftSummary } from './summary-text.ts';

/** The same comparison as the plan, told from the service's side: what is live instead of what is declared. */
export function renderDriftText(plan: Plan, paint: Paint = plain): string {
  const lines = [heading(plan, paint), ''];
  for (const change of plan.changes) lines.push(...changeLines(change, paint));
  for (const address of plan.unmanaged) {
    lines.push(`  ${paint('cyan', 'undeclared')}  ${escapeControls(address)}`);
  }
  if (lines.length > 2) lines.push('');
  return `${[...lines, driftSummary(plan)].join('\n')}\n`;
}

/** Whether there is anything to report. */
export function hasDrift(plan: Plan): boolean {
  return plan.changes.length + plan.unmanaged.length > 0;
}

function changeLines(change: PlannedChange, paint: Paint): string[] {
  const { action, location } = change;
  const word = paint(actionStyles[action], driftWords[action].padEnd(10));
  const place = location ? paint('dim', escapeControls(`${location.file}:${location.line}`)) : '';
  const address = escapeControls(change.address);
  const fields = driftLines(change).map((line) => `                ${line}`);
  return [`  ${word}  ${address.padEnd(43)}  ${place}`.trimEnd(), ...fields];
}
