import type { FieldChange } from '../../model/change.ts';
import { type Permission, type PermissionPath, permissions } from '../../model/permissions.ts';
import { isRecord, type Value } from '../../model/value.ts';
import { escapeControls } from '../escape-controls.ts';

/** One line that tells how a field differs. */
export function fieldText(field: FieldChange): string {
  return `${field.path}: ${fieldDifference(field)}`;
}

function fieldDifference({ path, before, after, add, remove }: FieldChange): string {
  if (path === 'lock') return lockText(before, after);
  const isSet = add !== undefined && remove !== undefined;
  if (isSet && Array.isArray(before) && Array.isArray(after)) {
    const signed = [...add.map((item) => `+${item}`), ...remove.map((item) => `-${item}`)];
    const sizes = path === 'remote-state-consumers' ? ` (${before.length} -> ${after.length})` : '';
    return escapeControls(signed.join(' ')) + sizes;
  }
  if (before === null && isSet) return `${unreadList(add, remove)} (what is stored cannot be read before)`;
  return `${valueText(before)} -> ${valueText(after)}`;
}

function unreadList(add: readonly string[], remove: readonly string[]): string {
  if (remove.length === 0) return valueText(add);
  return escapeControls([...add.map((item) => `+${item}`), ...remove.map((item) => `-${item}`)].join(' '));
}

/** A field of a resource that is created: there is nothing before it. */
export function newFieldText({ path, after }: FieldChange): string {
  return `${path}: ${path === 'lock' ? 'locked' : valueText(after)}`;
}

function lockText(before: Value, after: Value): string {
  const word = (locked: Value) => (locked === true ? 'locked' : 'unlocked');
  return `${word(before)} -> ${word(after)}`;
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

/** What an access level gives and takes, as at most two lines. */
export function grantLines(grants: readonly FieldChange[]): string[] {
  const gains = grants.filter(isGain);
  const losses = grants.filter((grant) => !isGain(grant));
  return [
    ...(gains.length > 0 ? [`grants ${gains.map(permissionText).join(', ')}`] : []),
    ...(losses.length > 0 ? [`revokes ${losses.map(permissionText).join(', ')}`] : []),
  ];
}

function isGain({ path, before, after }: FieldChange): boolean {
  const { values } = permissions[path as PermissionPath];
  const rank = (value: Value) => values.indexOf(value as Permission);
  return rank(after) > rank(before);
}

/** A switch is told by its name alone; a level by where it was and where it goes. A service may have levels of its own. */
function permissionText({ path, before, after }: FieldChange): string {
  if (typeof (before ?? after) === 'boolean') return path;
  const levels = [before, after].filter((value) => value !== null).map(valueText);
  return `${path} ${levels.join(' -> ')}`;
}
