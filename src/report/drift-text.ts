import type { FieldChange } from '../model/change.ts';
import type { Plan, PlannedChange } from '../model/plan.ts';
import { escapeControls } from './escape-controls.ts';
import { valueText } from './field-text.ts';
import { type Paint, plain } from './paint.ts';
import { actionStyles, counted, heading } from './plan-text.ts';

const words = { create: 'missing', update: 'changed', delete: 'surplus' } as const;

/** The same comparison as the plan, told from the service's side: what is live instead of what is declared. */
export function renderDriftText(plan: Plan, paint: Paint = plain): string {
  const lines = [heading(plan, paint), ''];
  for (const change of plan.changes) lines.push(...driftLines(change, paint));
  for (const address of plan.unmanaged) {
    lines.push(`  ${paint('cyan', 'undeclared')}  ${escapeControls(address)}`);
  }
  if (lines.length > 2) lines.push('');
  return `${[...lines, summary(plan)].join('\n')}\n`;
}

/** Whether there is anything to report. */
export function hasDrift(plan: Plan): boolean {
  return plan.changes.length + plan.unmanaged.length > 0;
}

function driftLines(change: PlannedChange, paint: Paint): string[] {
  const { action, location } = change;
  const word = paint(actionStyles[action], words[action].padEnd(10));
  const place = location ? paint('dim', escapeControls(`${location.file}:${location.line}`)) : '';
  const address = escapeControls(change.address);
  const fields =
    action === 'update' ? change.fields.map((field) => `                ${fieldDrift(field)}`) : [];
  return [`  ${word}  ${address.padEnd(43)}  ${place}`.trimEnd(), ...fields];
}

function fieldDrift({ path, before, after, add, remove }: FieldChange): string {
  if (path === 'lock') return `lock: live ${before === true ? 'locked' : 'unlocked'}`;
  if (Array.isArray(before) && Array.isArray(after) && add && remove) {
    const lacks = add.length > 0 ? [`lacks ${add.join(', ')}`] : [];
    const has = remove.length > 0 ? [`has ${remove.join(', ')} beyond what is declared`] : [];
    return escapeControls(`${path}: live ${[...lacks, ...has].join('; ')}`);
  }
  return `${path}: live ${valueText(before)}, declared ${valueText(after)}`;
}

function summary({ summary: counts, unmanaged, changes }: Plan): string {
  if (changes.length + unmanaged.length === 0) {
    return `No drift: ${counted(counts.unchanged, 'declared resource')} as declared.`;
  }
  const parts = [
    `${counts.create} missing`,
    `${counts.update} changed`,
    `${counts.delete} surplus`,
    `${unmanaged.length} undeclared`,
    `${counts.unchanged} as declared`,
  ];
  return `Drift: ${parts.join(', ')}.`;
}
