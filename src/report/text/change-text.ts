import type { AppliedChange } from '../../model/apply-result.ts';
import type { Action, FieldChange } from '../../model/change.ts';
import { counted } from '../../model/counted.ts';
import type { PlannedChange } from '../../model/plan.ts';
import { escapeControls } from '../escape-controls.ts';
import { fieldText, grantLines, newFieldText, valueText } from './field-text.ts';

/** A change as an order: `update workspace.app`, `safe delete workspace.old`. */
export function plannedTitle(change: PlannedChange): string {
  return `${actionText(change)} ${escapeControls(change.address)}`;
}

/** The action, and for a deletion how it is made. */
export function actionText({ action, kind, calls }: PlannedChange): string {
  if (action !== 'delete') return action;
  if (kind === 'team-access') return 'revoke';
  return calls[0]?.method === 'DELETE' ? 'force delete' : 'safe delete';
}

/** What a change does, key by key, and what an access level gives and takes with it. */
export function plannedLines(change: PlannedChange): string[] {
  return [...fieldLines(change), ...grantLines(change.grants ?? [])];
}

/** What a change does, key by key. */
export function fieldLines({ action, kind, fields }: PlannedChange): string[] {
  const isNewGrant = action === 'create' && kind === 'team-access';
  // What a new grant does not give is not worth a line each.
  const told = isNewGrant ? fields.filter(({ after }) => after !== 'none' && after !== false) : fields;
  return [
    ...told.map(action === 'create' ? newFieldText : fieldText),
    ...(told.length < fields.length ? ['all other permissions: none'] : []),
  ];
}

export const driftWords: Readonly<Record<Action, string>> = {
  create: 'missing',
  update: 'changed',
  delete: 'surplus',
};

/** The same change, told from the service's side. */
export function driftTitle({ action, address }: PlannedChange): string {
  return `${driftWords[action]}: ${escapeControls(address)}`;
}

export function driftLines({ action, fields }: PlannedChange): string[] {
  return action === 'update' ? fields.map(fieldDrift) : [];
}

function fieldDrift({ path, before, after, add, remove }: FieldChange): string {
  if (path === 'lock') return `lock: live ${before === true ? 'locked' : 'unlocked'}`;
  if (Array.isArray(before) && Array.isArray(after) && add && remove) {
    const lacks = add.length > 0 ? [`lacks ${add.join(', ')}`] : [];
    const has = remove.length > 0 ? [`has ${remove.join(', ')} beyond what is declared`] : [];
    return escapeControls(`${path}: live ${[...lacks, ...has].join('; ')}`);
  }
  // Who may read a state by name is not told while every workspace may.
  const live = before === null && add ? 'what is stored cannot be read' : `live ${valueText(before)}`;
  return `${path}: ${live}, declared ${valueText(after)}`;
}

/** What became of a change. */
export function appliedTitle(change: AppliedChange): string {
  return `${change.result}: ${plannedTitle(change)}`;
}

/** Why a change was not made, then what it was to do. */
export function appliedLines(change: AppliedChange): string[] {
  return [...(change.error ? [failureText(change)] : []), ...plannedLines(change)];
}

/** The error, and how far the change came. */
export function failureText({ error, callsDone, calls }: AppliedChange): string {
  const made = callsDone > 0 ? ` (${callsDone} of ${counted(calls.length, 'call')} made)` : '';
  return escapeControls(error?.message ?? '') + made;
}
