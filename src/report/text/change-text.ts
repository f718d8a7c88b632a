import { counted } from '../../model/text.ts';
import { isRecord, type Value } from '../../model/value.ts';
import type { PermissionView } from '../access-view.ts';
import type { ChangeView, FieldView } from '../change-view.ts';
import { escapeControls } from '../escape-controls.ts';
import type { Report } from '../report.ts';

/** A change below its title, a line each: why it was not made, what it does, what a level grants and revokes. */
export function changeLines(change: ChangeView, kind: Report['kind']): string[] {
  if (kind === 'drift') return driftLines(change);
  return [
    ...(change.error ? [failureText(change)] : []),
    ...fieldLines(change),
    ...permissionLines(change.permissions),
  ];
}

/** What a change does, key by key. */
export function fieldLines({ fields, omitsPermissions }: ChangeView): string[] {
  return [
    ...fields.map((field) => `${field.path}: ${fieldText(field)}`),
    ...(omitsPermissions ? ['all other permissions: none'] : []),
  ];
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
    case 'unread-list':
      return `${field.remove.length === 0 ? valueText(field.add) : differenceText(field)} (what is stored cannot be read before)`;
    default:
      return field satisfies never;
  }
}

function differenceText({ add, remove }: { add: readonly string[]; remove: readonly string[] }): string {
  return escapeControls([...add.map((item) => `+${item}`), ...remove.map((item) => `-${item}`)].join(' '));
}

/** A change told from the service's side. */
export function driftLines({ action, fields }: ChangeView): string[] {
  return action === 'update' ? fields.map((field) => `${field.path}: ${driftText(field)}`) : [];
}

function driftText(field: FieldView): string {
  switch (field.shape) {
    case 'new':
      return `declared ${valueText(field.after)}`;
    case 'value':
      return `live ${valueText(field.before)}, declared ${valueText(field.after)}`;
    case 'lock':
      return `live ${field.before}`;
    case 'list': {
      const { add, remove } = field;
      const lacks = add.length > 0 ? [`lacks ${add.join(', ')}`] : [];
      const has = remove.length > 0 ? [`has ${remove.join(', ')} beyond what is declared`] : [];
      return escapeControls(`live ${[...lacks, ...has].join('; ')}`);
    }
    case 'unread-list':
      return `what is stored cannot be read, declared ${valueText(field.after)}`;
    default:
      return field satisfies never;
  }
}

/** The error, and how far the change came. */
export function failureText({ error, callsDone = 0, calls }: ChangeView): string {
  const made = callsDone > 0 ? ` (${callsDone} of ${counted(calls.length, 'call')} made)` : '';
  return (error?.message ?? '') + made;
}

/** What comes and goes, as at most two lines. */
export function permissionLines(permissions: readonly PermissionView[]): string[] {
  const gains = permissions.filter(({ isGain }) => isGain);
  const losses = permissions.filter(({ isGain }) => !isGain);
  return [
    ...(gains.length > 0 ? [`grants ${gains.map(permissionText).join(', ')}`] : []),
    ...(losses.length > 0 ? [`revokes ${losses.map(permissionText).join(', ')}`] : []),
  ];
}

/** A switch is told by its name alone, a level by where it was and where it goes. */
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
