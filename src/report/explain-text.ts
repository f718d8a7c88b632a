import type { DeclarationExplanation, ExplainedField } from '../desired/explain.ts';
import type { ExplainedHold } from '../desired/holds/explain-holds.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { counted } from '../model/text.ts';
import type { Value } from '../model/value.ts';
import { escapeTexts } from './escape-controls.ts';
import { alignedRows, type Paint } from './paint.ts';
import { flowText } from './values.ts';
import { placeText } from './words.ts';

const textWidth = 45;

export function explainText(
  explanation: DeclarationExplanation,
  { paint, path }: { readonly paint: Paint; readonly path: (file: string) => string },
): string {
  const { address, location, fields, usedBy, role, selected, when, holds, ends } = explanation;
  const place = (at: SourceLocation | undefined) => (at ? placeText({ ...at, file: path(at.file) }) : '');
  const noun = address.startsWith('role.') ? 'grant' : 'workspace';
  const rows = fields.flatMap((field) => fieldRows(field, noun));
  const layerWidth = Math.max(0, ...rows.map(({ layer = '' }) => layer.length));
  const aligned = (some: readonly (readonly string[])[], widths?: number[], isHead = false) =>
    alignedRows(escapeTexts(some), widths, (text, _row, column) =>
      isHead && column === 0 ? paint('bold', text) : text,
    );
  const values = (some: readonly Row[]) =>
    aligned(
      some.map(({ text, layer = '', location: at }) => [text, layer, place(at)]),
      [textWidth, layerWidth],
    );
  const uses = (usedBy ?? []).map((use) => {
    const via = use.via.map((name) => `template.${name}`).join(', ');
    return [`  ${use.address}`, place(use.location) + (via === '' ? '' : `  through ${via}`)];
  });
  const title =
    usedBy && (uses.length > 0 ? `Used by ${counted(uses.length, noun)}:` : `Used by no ${noun}.`);
  return [
    ...aligned([[address, place(location)]], [textWidth], true),
    ...values([
      ...(explanation.extends.length > 0 ? [{ text: `  extends ${explanation.extends.join(', ')}` }] : []),
      ...(selected ? [{ text: `  selected by ${selected.join(', ')}` }] : []),
      ...(when === undefined ? [] : [{ text: `  when ${written(when)}` }]),
      ...(role ? [{ text: `  role ${role.name}`, location: role.location }] : []),
      ...(ends ? [{ text: `  ${endText(ends)}` }] : []),
    ]),
    '',
    ...(rows.length > 0 ? values(rows) : ['  (no field is declared)']),
    ...(holds.length > 0 ? ['', 'Holds, by the declared values:'] : []),
    ...aligned(holds.map((hold) => [`  ${place(hold.location)}`, holdText(hold)])),
    ...(title === undefined ? [] : ['', title]),
    ...aligned(uses, [textWidth]),
    '',
  ].join('\n');
}

interface Row {
  readonly text: string;
  readonly layer?: string;
  readonly location?: SourceLocation | undefined;
}

function fieldRows(field: ExplainedField, noun: string): Row[] {
  const { path, value, layer, location, overrides, entries, voidedBy, effectiveIn } = field;
  const uses = effectiveIn === undefined ? '' : `  (${counted(effectiveIn, noun)})`;
  const shown = `${voidedBy ? '(void) ' : ''}${written(value)}`;
  return [
    entries.length > 0
      ? { text: `  ${path}:${uses}` }
      : { text: `  ${path}: ${shown}${uses}`, layer, location },
    ...(voidedBy
      ? [{ ...voidedBy, text: `    void because of ${voidedBy.path}: ${written(voidedBy.value)}` }]
      : []),
    ...overrides.map((lower) => ({ ...lower, text: `    overrides ${written(lower.value)}` })),
    ...entries.map(({ effect, entry, effective, ...origin }) => ({
      ...origin,
      text: `    ${effectSigns[effect]} ${written(entry)}${effective && !voidedBy ? '' : '  (overridden)'}`,
    })),
  ];
}

const effectSigns = { list: ' ', exactly: '=', add: '+', remove: '-' } as const;

function endText({ until, reason, ended }: NonNullable<DeclarationExplanation['ends']>): string {
  const why = reason === undefined ? '' : ` (${reason})`;
  return ended ? `ended on ${until}${why}, counts as none` : `ends on ${until}${why}`;
}

function holdText({
  by,
  fields = ['all changes'],
  reason,
  value,
  state,
  from,
  until,
}: ExplainedHold): string {
  const known = value === undefined ? '' : ` while it is ${written(value)}`;
  const start = from === undefined ? '' : ` from ${from}`;
  const condition = state === 'live' ? ' if its live values match' : '';
  const period = state === 'ended' ? `, ended on ${until}` : `${start} until ${until}${condition}`;
  return `${fields.join(', ')}: ${by}${known}${period}: ${reason}`;
}

function written(value: Value | undefined): string {
  return flowText(value ?? null, 'null');
}

export function explainDocument(
  organization: string,
  explanation: DeclarationExplanation,
): Record<string, unknown> {
  const holds = explanation.holds.length > 0 ? explanation.holds : undefined;
  return { format: 'attune.explain/1', organization, ...explanation, holds };
}
