import type { FieldChange } from '../model/change.ts';
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
