import type { Action, FieldChange } from '../model/change.ts';
import { asBindings, bindingTexts } from '../model/list-rule.ts';
import { isPermissionPath, permissions } from '../model/permissions.ts';
import { groupBy, isRecord, type Value } from '../model/value.ts';
import { escapeControls } from './escape-controls.ts';
import { figure, firstOf } from './words.ts';

export function namesText(names: readonly string[], hint = '', most = 5): string {
  const { shown, rest } = firstOf(names, most);
  return `${shown.join(', ')}${rest.length > 0 ? ` and ${figure(rest.length)} more${hint}` : ''}`;
}

/** A line below an item: a sentence, or a field with its values. */
export type Line = string | FieldLine;

export interface FieldLine {
  readonly path: string;
  readonly pieces: readonly Piece[];
  /** The end of the line, which equal changes do not share: the sizes of a list. */
  readonly sizes?: string | undefined;
}

/** Text that formats can color: a new value is a gain, and a former one a loss. */
type Piece = string | { readonly text: string; readonly tone: 'gain' | 'loss' };

export function shownLine(line: Line): string {
  if (typeof line === 'string') return line;
  const { path, pieces, sizes = '' } = line;
  return `${path}: ${pieces.map((piece) => (typeof piece === 'string' ? piece : piece.text)).join('')}${sizes}`;
}

/** A field in the words of a plan: `true -> false`; in those of a drift report: `live true, declared false`. */
export function fieldLine(field: FieldChange, action: Action, isDrift: boolean): FieldLine {
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

function signedPieces(add: readonly string[], remove: readonly string[]): Piece[] {
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

/** Gains first. */
export function permissionLines(changes: readonly FieldChange[]): string[] {
  const byVerb = groupBy(changes, (change) => (isGain(change) ? 'grants' : 'revokes'));
  return (['grants', 'revokes'] as const).flatMap((verb) => {
    const texts = byVerb.get(verb)?.map(permissionText);
    return texts ? `${verb} ${texts.join(', ')}` : [];
  });
}

function isGain({ path, before, after }: FieldChange): boolean {
  // A document of a newer version can name others. Without an order of its values, a permission that appears is a gain.
  const values: readonly unknown[] = isPermissionPath(path)
    ? permissions[path].values
    : [null, false, 'none', before, after];
  return values.indexOf(after) > values.indexOf(before);
}

/** A permission that is on or off has no levels. */
function permissionText({ path, before, after }: FieldChange): string {
  if (typeof (before ?? after) === 'boolean') return path;
  const levels = [before, after].filter((value) => value !== null);
  return `${path} ${levels.map(valueText).join(' -> ')}`;
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
