import { nameOfAddress, type ResourceKind } from '../../model/state.ts';
import { signedEntries } from '../../model/text.ts';
import { isRecord, type Value } from '../../model/value.ts';
import type { PermissionView } from '../access-view.ts';
import type { ChangeGroup, GroupField } from '../change-lists.ts';
import type { ChangeView, FieldView } from '../change-view.ts';
import { escapeControls } from '../escape-controls.ts';
import type { ReportKind } from '../report.ts';
import { countedFigure, figure, firstOf, placeText } from '../words.ts';

/** The lines below the title of a change: its error, its fields, and the permissions that a level grants and revokes. */
export function changeLines(change: ChangeView, kind: ReportKind): string[] {
  const permissions = permissionLines(change.permissions).map((line) => `  ${line}`);
  if (kind === 'drift')
    return [...fieldLines(change, kind), ...(change.action === 'delete' ? permissions : [])];
  return [
    ...(change.error ? [change.error.message] : []),
    ...(change.recovery === undefined || change.outcome === undefined ? [] : [change.recovery]),
    ...fieldLines(change, kind),
    ...permissions,
  ];
}

/** One line for each field; in a drift report, for each field of an update, and for the level of a grant. */
function fieldLines(
  { action, kind: resource, fields, omitsPermissions }: ChangeView,
  kind: ReportKind,
): string[] {
  const isWhole = kind !== 'drift' || action === 'update';
  const shown = fields.filter(({ path }) => isWhole || (resource === 'team-access' && path === 'access'));
  const lines = shown.map((field) => fieldLine(field, kind));
  return isWhole && omitsPermissions ? [...lines, 'all other permissions: none'] : lines;
}

/** A field with its values. */
function fieldLine(field: FieldView, kind: ReportKind): string {
  return `${field.path}: ${kind === 'drift' ? driftText(field) : fieldText(field)}`;
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
  return escapeControls(signedEntries(add, remove).join(' '));
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
      const has = remove.length > 0 ? [`undeclared ${remove.join(', ')}`] : [];
      return escapeControls([...lacks, ...has].join('; '));
    }
    case 'unread-list':
      return `live list unknown, declared ${valueText(field.after)}`;
    default:
      return field satisfies never;
  }
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

/** A group of equal updates: its heading, and the lines below. */
export interface GroupText {
  readonly head: string;
  readonly rest: readonly string[];
}

/** What the members of a group are called. */
export const kindNouns: Readonly<Record<ResourceKind, string>> = {
  project: 'project',
  workspace: 'workspace',
  'team-access': 'grant',
};

/**
 * A group in the words of a report. One field is the heading itself:
 * `iac-version: 1.9.5 -> 1.10.2  2,000 workspaces  attune.yaml:5`.
 *
 * @param hint What follows the count of members that are not named.
 */
export function groupText(group: ChangeGroup, kind: ReportKind, hint = ''): GroupText {
  const { members, fields } = group;
  const [first] = members;
  const permissions = kind === 'drift' ? [] : permissionLines(first.permissions);
  const count = countedFigure(members.length, kindNouns[first.kind]);
  const names = namesText(members, hint);
  const [only, another] = fields;
  if (only && another === undefined && permissions.length === 0)
    return {
      head: [fieldLine(only.field, kind), count, ...linesText(only.places)].join('  '),
      rest: [names],
    };
  return {
    head: count,
    rest: [
      ...fields.map(({ field, places }) => [fieldLine(field, kind), ...linesText(places)].join('  ')),
      ...permissions.map((line) => `  ${line}`),
      names,
    ],
  };
}

/** The line of a template, or the first of the members' own lines. */
function linesText(lines: GroupField['places']): string[] {
  const [first, ...others] = lines;
  if (first === undefined) return [];
  return [`${placeText(first)}${others.length > 0 ? ` and ${figure(others.length)} more` : ''}`];
}

/** The maximum of members that are named. */
const maxNames = 5;

/** The first names, and how many more there are. */
export function namesText(members: readonly ChangeView[], hint = ''): string {
  const { shown, rest } = firstOf(members, maxNames);
  const names = shown.map(({ address }) => nameOfAddress(address)).join(', ');
  return rest.length > 0 ? `${names} and ${figure(rest.length)} more${hint}` : names;
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

/** A value on one line, with lists and mappings as YAML writes them. */
export function flowText(value: Value, none = '(none)'): string {
  const inner = (one: unknown) => flowText(one as Value, none);
  if (Array.isArray(value)) return `[${value.map(inner).join(', ')}]`;
  if (isRecord(value)) {
    const pairs = Object.entries(value).map(([key, one]) => `${key}: ${inner(one)}`);
    return `{${pairs.join(', ')}}`;
  }
  return value === null ? none : valueText(value);
}
