import type { DriftDeletion } from '../check/risks.ts';
import { type Ending, endingOf } from '../model/apply-result.ts';
import { projectAttributes, workspaceAttributes } from '../model/attribute-table.ts';
import type { Action, Cause, FieldChange } from '../model/change.ts';
import type { Severity } from '../model/diagnostic.ts';
import { asBindings, bindingTexts } from '../model/list-rule.ts';
import { isPermissionPath, permissions } from '../model/permissions.ts';
import type { ResourceKind } from '../model/state.ts';
import { counted } from '../model/text.ts';
import type { Value } from '../model/value.ts';
import { escapeControls } from './escape-controls.ts';
import type { Item, RisksByAddress, ShownChange } from './items.ts';
import type { ReportKind } from './report.ts';
import { type PathOf, placeOf } from './text/diagnostics-text.ts';
import { type FieldLine, type Line, permissionLines, valueText } from './values.ts';

export interface ChangeOptions {
  readonly kind: ReportKind;
  readonly path: PathOf;
  readonly risks: RisksByAddress;
  /** Of a drift report. */
  readonly deletions?: ReadonlyMap<string, DriftDeletion> | undefined;
  /** Lists updates one by one instead of as a group, and the defaults of what is created. */
  readonly full?: boolean | undefined;
  readonly hint?: string | undefined;
  /** Of an apply only the reasons, because its plan is shown beside it. */
  readonly reasonsOnly?: boolean | undefined;
}

export const partTitles = {
  change: 'This change',
  drift: 'Already different',
  dropped: 'No longer declared',
} as const;

/** The parts of changes with the cause, if one is given. Deletions come first: formats of limited size omit the last ones. */
export function partsOf(changes: readonly ShownChange[], cause?: Cause): readonly ShownChange[] {
  if (cause === undefined) return changes;
  // What has no known cause must be seen.
  const isOf = (one: Pick<ShownChange, 'cause'>) => (one.cause === 'drift' ? 'drift' : 'change') === cause;
  const parts = changes.flatMap((change): readonly ShownChange[] => {
    if (change.action !== 'update') return isOf(change) ? [change] : [];
    const { grants, ...rest } = change;
    const fields = change.fields.filter(isOf);
    // A level implies the permissions.
    const isLevel = fields.some(({ path }) => path === 'access');
    return fields.length === 0 ? [] : [{ ...rest, fields, grants: isLevel ? grants : undefined }];
  });
  return parts.sort((a, b) => Number(b.action === 'delete') - Number(a.action === 'delete'));
}

export const signs: Readonly<Record<Action, string>> = { create: '+', update: '~', delete: '-' };

export const driftWords: Readonly<Record<Action, string>> = {
  create: 'missing',
  update: 'changed',
  delete: 'to delete',
};

export function changeItem(change: ShownChange, options: ChangeOptions): Item {
  const { kind, path, risks, deletions, full = false } = options;
  const { action, location } = change;
  const address = escapeControls(change.address);
  const isDrift = kind === 'drift';
  const outcome = 'result' in change ? endingOf(change) : undefined;
  const word = isDrift ? (deletions?.get(change.address) ?? driftWords[action]) : plannedWord(change);
  const why = risks.get(address);
  const level = levelOf(isDrift, change);
  const implied = permissionLines(isDrift && action !== 'delete' ? [] : (change.grants ?? []));
  return {
    sign: signs[action],
    head: address,
    title: worded(word, address, isDrift, outcome),
    detail:
      action === 'delete' ? [word, !isDrift && recoveryOf(change)].filter(Boolean).join(', ') : undefined,
    place: location && placeOf(location, path),
    rest: [...changeLines(change, isDrift, full), ...(full ? implied.map((line) => `  ${line}`) : [])],
    permissions: full ? [] : implied,
    level: level === 'note' && why ? 'warning' : level,
    rule: `change-${action}`,
    address,
    risks: why,
    change,
    outcome,
  };
}

export function worded(word: string, subject: string, isDrift: boolean, outcome?: Ending): string {
  return [outcome ?? [], isDrift ? word : `${word} ${subject}`, isDrift ? subject : []].flat().join(': ');
}

export function plannedWord({ action, kind, mode = 'safe' }: ShownChange): string {
  if (action !== 'delete') return action;
  return { workspace: `${mode} delete`, project: 'delete', 'team-access': 'revoke' }[kind];
}

function recoveryOf(change: ShownChange): string | undefined {
  const until = 'recoverableUntil' in change ? change.recoverableUntil : undefined;
  return until === undefined ? change.recovery : `recoverable until ${escapeControls(until)}`;
}

function levelOf(isDrift: boolean, change: ShownChange): Severity {
  const outcome = 'result' in change ? endingOf(change) : 'done';
  if (outcome === 'failed' || outcome === 'unknown' || outcome === 'partial') return 'error';
  return outcome !== 'done' || isDrift || change.action === 'delete' ? 'warning' : 'note';
}

export function errorOf(change: ShownChange): string[] {
  return 'error' in change && change.error ? [escapeControls(change.error.message)] : [];
}

function changeLines(change: ShownChange, isDrift: boolean, full: boolean): Line[] {
  const { action, kind, fields } = change;
  const shown = isDrift && action !== 'update' ? fields.filter(({ path }) => path === 'access') : fields;
  const defaults = shown.filter(({ path, after }) => isDefault(kind, path, after));
  // A single one is as short as its count.
  const isCounted = action === 'create' && !isDrift && !full && defaults.length > 1;
  const listed = isCounted ? shown.filter((field) => !defaults.includes(field)) : shown;
  return [
    ...(isDrift ? [] : errorOf(change)),
    ...listed.map((field) => withEnd(fieldLine(field, action, isDrift), change)),
    ...(isCounted ? [`and ${counted(defaults.length, 'default')}`] : []),
  ];
}

/** A field in the words of a plan: `true -> false`; in those of a drift report: `live true, declared false`. */
function fieldLine(field: FieldChange, action: Action, isDrift: boolean): FieldLine {
  const { path, before, after, add, remove } = field.path === 'tag-bindings' ? bindingList(field) : field;
  const text = path === 'lock' ? (value: Value) => (value ? 'locked' : 'unlocked') : valueText;
  const [was, is] = [text(before), text(after)];
  if (action === 'create') return { path, pieces: [isDrift ? `declared ${is}` : is] };
  if (add && remove && before === null) {
    // The service does not return the stored list, so only what is sent is known.
    if (isDrift) return { path, pieces: [`live list unknown, declared ${is}`] };
    const sent = remove.length === 0 ? [valueText(add)] : signedPieces(add, remove);
    return { path, pieces: [...sent, ' (the live list is unknown)'] };
  }
  if (!add || !remove || !Array.isArray(before) || !Array.isArray(after)) {
    const [loss, gain] = [{ text: was, tone: 'loss' } as const, { text: is, tone: 'gain' } as const];
    return { path, pieces: isDrift ? ['live ', loss, ', declared ', gain] : [loss, ' -> ', gain] };
  }
  if (isDrift) {
    const lacks = add.length > 0 ? `missing ${add.join(', ')}` : '';
    const has = remove.length > 0 ? `undeclared ${remove.join(', ')}` : '';
    return { path, pieces: [escapeControls([lacks, has].filter(Boolean).join('; '))] };
  }
  const sizes = path === 'remote-state-consumers' ? ` (${before.length} -> ${after.length})` : undefined;
  return { path, pieces: signedPieces(add, remove), sizes };
}

function signedPieces(add: readonly string[], remove: readonly string[]): FieldLine['pieces'] {
  const pieces = [
    ...add.map((entry) => ({ text: escapeControls(`+${entry}`), tone: 'gain' }) as const),
    ...remove.map((entry) => ({ text: escapeControls(`-${entry}`), tone: 'loss' }) as const),
  ];
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [' ', piece]));
}

function bindingList(field: FieldChange): FieldChange {
  const texts = (value: Value) => {
    const bindings = asBindings(value);
    return bindings ? bindingTexts(bindings) : value;
  };
  return { ...field, before: texts(field.before), after: texts(field.after) };
}

function withEnd(line: FieldLine, { until }: ShownChange): FieldLine {
  if (until === undefined || line.path !== 'access') return line;
  return { ...line, pieces: [...line.pieces, `, until ${escapeControls(until)}`] };
}

function isDefault(kind: ResourceKind, path: string, value: Value): boolean {
  const specs: Readonly<Record<string, { readonly default: Value } | undefined>> =
    kind === 'workspace' ? workspaceAttributes : kind === 'project' ? projectAttributes : {};
  const known =
    kind === 'team-access' && isPermissionPath(path) ? permissions[path].customDefault : specs[path]?.default;
  return known !== undefined && JSON.stringify(known) === JSON.stringify(value);
}
