import { counted } from '../../model/text.ts';
import { isRecord, type Value } from '../../model/value.ts';
import type { PermissionView } from '../access-view.ts';
import type { ChangeView, FieldView } from '../change-view.ts';
import { escapeControls } from '../escape-controls.ts';
import type { ReportKind } from '../report.ts';

/** The lines below the title of a change: its error, its fields, and the permissions that a level grants and revokes. */
export function changeLines(change: ChangeView, kind: ReportKind): string[] {
  if (kind === 'drift') return driftLines(change);
  return [
    ...(change.error ? [failureText(change)] : []),
    ...(change.recovery === undefined ? [] : [change.recovery]),
    ...fieldLines(change),
    ...permissionLines(change.permissions),
  ];
}

/** One line for each field. */
export function fieldLines({ fields, omitsPermissions }: ChangeView): string[] {
  return [...fields.map(fieldLine), ...(omitsPermissions ? ['all other permissions: none'] : [])];
}

/** A field with its values. */
export function fieldLine(field: FieldView): string {
  return `${field.path}: ${fieldText(field)}`;
}

function fieldText(field: FieldView): string {
  switch (field.shape) {
    case 'new':
      return valueText(field.after);
    case 'value':
      return `${valueText(field.before)} -> ${valueText(field.after)}`;
    case 'lock':
      return `${field.before} -> ${field.after}`;
    case 'list': {
      const { path, before, after } = field;
      const sizes = path === 'remote-state-consumers' ? ` (${before.length} -> ${after.length})` : '';
      return differenceText(field) + sizes;
    }
    case 'list-change':
      return differenceText(field);
    case 'unread-list':
      return `${field.remove.length === 0 ? valueText(field.add) : differenceText(field)} (the live list is unknown)`;
    default:
      return field satisfies never;
  }
}

function differenceText({ add, remove }: { add: readonly string[]; remove: readonly string[] }): string {
  return escapeControls([...add.map((item) => `+${item}`), ...remove.map((item) => `-${item}`)].join(' '));
}

/** The lines of a change in a drift report. */
export function driftLines({ action, fields }: ChangeView): string[] {
  return action === 'update' ? fields.map(driftLine) : [];
}

/** A field in a drift report. */
export function driftLine(field: FieldView): string {
  return `${field.path}: ${driftText(field)}`;
}

function driftText(field: FieldView): string {
  switch (field.shape) {
    case 'new':
      return `declared ${valueText(field.after)}`;
    case 'value':
      return `live ${valueText(field.before)}, declared ${valueText(field.after)}`;
    case 'lock':
      return `live ${field.before}, declared ${field.after}`;
    case 'list':
    case 'list-change': {
      const { add, remove } = field;
      const lacks = add.length > 0 ? [`missing ${add.join(', ')}`] : [];
      const has = remove.length > 0 ? [`extra ${remove.join(', ')}`] : [];
      return escapeControls([...lacks, ...has].join('; '));
    }
    case 'unread-list':
      return `live list unknown, declared ${valueText(field.after)}`;
    default:
      return field satisfies never;
  }
}

/** The error, and how many calls were completed. */
export function failureText({ error, outcome, callsDone = 0, calls }: ChangeView): string {
  // The reason of an interrupted change begins with this count.
  const made =
    callsDone > 0 && outcome !== 'interrupted'
      ? ` (${callsDone} of ${counted(calls.length, 'call')} completed)`
      : '';
  return (error?.message ?? '') + made;
}

/** Granted and revoked permissions, as at most two lines. */
export function permissionLines(permissions: readonly PermissionView[]): string[] {
  const gains = permissions.filter(({ isGain }) => isGain);
  const losses = permissions.filter(({ isGain }) => !isGain);
  return [
    ...(gains.length > 0 ? [`grants ${gains.map(permissionText).join(', ')}`] : []),
    ...(losses.length > 0 ? [`revokes ${losses.map(permissionText).join(', ')}`] : []),
  ];
}

/** A permission that is on or off has no levels. */
function permissionText({ path, levels }: PermissionView): string {
  return levels.length === 0 ? path : `${path} ${levels.map(valueText).join(' -> ')}`;
}

const longest = 1000;

export function valueText(value: Value): string {
  if (value === null || value === '') return '(none)';
  if (Array.isArray(value))
    return value.length === 0 ? '(none)' : value.map((item) => valueText(item)).join(', ');
  if (isRecord(value)) {
    return Object.entries(value)
      .map(([key, inner]) => `${escapeControls(key)}: ${valueText(inner as Value)}`)
      .join(', ');
  }
  const text = escapeControls(String(value));
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
}
