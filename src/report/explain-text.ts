import type { AddressExplanation, ExplainedField, LayerUse } from '../desired/explain.ts';
import type { ExplainedEnd, ExplainedHold, HoldExplanation } from '../desired/holds/explain-holds.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { counted } from '../model/text.ts';
import type { Value } from '../model/value.ts';
import { escapeControls } from './escape-controls.ts';
import type { Paint } from './paint.ts';
import { flowText } from './values.ts';

/** How an explanation is printed. */
export interface ExplainTextOptions {
  readonly paint: Paint;
  /** The path of a file as it is shown. */
  readonly path: (file: string) => string;
}

/** A line: its text, the layer and the location. */
interface Row {
  readonly text: string;
  readonly layer?: string;
  readonly location?: SourceLocation;
}

/** What uses a layer. */
type User = 'workspace' | 'grant';

const addressWidth = 46;

/** The declaration of an address as text. */
export function explainText(
  explanation: AddressExplanation & HoldExplanation,
  { paint, path }: ExplainTextOptions,
): string {
  const { address, location, fields, usedBy, role, selected, when, holds, ends } = explanation;
  const user = address.startsWith('role.') ? 'grant' : 'workspace';
  const rows = fields.flatMap((field) => fieldRows(field, user));
  const layerWidth = Math.max(0, ...rows.map(({ layer = '' }) => layer.length));
  const place = (at: SourceLocation | undefined) => (at ? `${path(at.file)}:${at.line}` : '');
  const line = ({ text, layer = '', location: at }: Row) =>
    escapeControls(`${text.padEnd(addressWidth)} ${layer.padEnd(layerWidth)}  ${place(at)}`.trimEnd());
  const head = `${paint('bold', escapeControls(address).padEnd(addressWidth))} ${escapeControls(place(location))}`;
  return [
    head,
    ...(explanation.extends.length > 0
      ? [escapeControls(`  extends ${explanation.extends.join(', ')}`)]
      : []),
    ...(selected ? [escapeControls(`  selected by ${selected.join(', ')}`)] : []),
    ...(when === undefined ? [] : [escapeControls(`  when ${written(when)}`)]),
    ...(role ? [line({ text: `  role ${role.name}`, location: role.location })] : []),
    ...(ends ? [escapeControls(`  ${endText(ends)}`)] : []),
    '',
    ...(rows.length > 0 ? rows.map(line) : ['  (no field is declared)']),
    ...(holds.length > 0 ? ['', 'Holds, by the declared values:', ...holdLines(holds, place)] : []),
    ...(usedBy
      ? ['', ...(usedBy.length > 0 ? useLines(usedBy, { user, place }) : [`Used by no ${user}.`])]
      : []),
    '',
  ].join('\n');
}

function fieldRows(field: ExplainedField, user: User): Row[] {
  const { path, value, layer, location, overrides, entries, voidedBy, effectiveIn } = field;
  const place = { layer, ...(location && { location }) };
  const uses = effectiveIn === undefined ? '' : `  (${counted(effectiveIn, user)})`;
  const first: Row =
    entries.length > 0
      ? { text: `  ${path}:${uses}` }
      : { text: `  ${path}: ${voidedBy ? `(void) ${written(value)}` : written(value)}${uses}`, ...place };
  return [
    first,
    ...(voidedBy
      ? [
          {
            text: `    void because of ${voidedBy.path}: ${written(voidedBy.value)}`,
            layer: voidedBy.layer,
            location: voidedBy.location,
          },
        ]
      : []),
    ...overrides.map((lower) => ({
      text: `    overrides ${written(lower.value)}`,
      layer: lower.layer,
      location: lower.location,
    })),
    ...entries.map((entry) => ({
      text: `    ${effectSigns[entry.effect]} ${written(entry.entry)}${entry.isEffective && !voidedBy ? '' : '  (overridden)'}`,
      layer: entry.layer,
      location: entry.location,
    })),
  ];
}

function endText({ until, reason, ended }: ExplainedEnd): string {
  const why = reason === undefined ? '' : ` (${reason})`;
  return ended ? `ended on ${until}${why}, counts as none` : `ends on ${until}${why}`;
}

function holdLines(
  holds: readonly ExplainedHold[],
  place: (location: SourceLocation) => string,
): readonly string[] {
  const width = Math.max(...holds.map(({ location }) => place(location).length));
  return holds.map(({ by, fields = ['all changes'], reason, location, ...when }) => {
    const known = when.value === undefined ? '' : ` while it is ${written(when.value)}`;
    const text = `${fields.join(', ')}: ${by}${known}${periodText(when)}: ${reason}`;
    return escapeControls(`  ${place(location).padEnd(width)}  ${text}`);
  });
}

function periodText({ state, from, until }: Pick<ExplainedHold, 'state' | 'from' | 'until'>): string {
  const period = `${from === undefined ? '' : ` from ${from}`} until ${until}`;
  if (state === 'ended') return `, ended on ${until}`;
  return state === 'live' ? `${period} if its live values match` : period;
}

const effectSigns = { list: ' ', exactly: '=', add: '+', remove: '-' } as const;

/** As a file has it, on one line. */
function written(value: Value | undefined): string {
  return flowText(value ?? null, 'null');
}

function useLines(
  uses: readonly LayerUse[],
  { user, place }: { readonly user: User; readonly place: (location: SourceLocation) => string },
): string[] {
  const lines = uses.map(({ address, location, via }) => {
    const way = via.length > 0 ? `  through ${via.map((name) => `template.${name}`).join(', ')}` : '';
    return escapeControls(`  ${address.padEnd(addressWidth - 2)} ${place(location)}${way}`);
  });
  return [`Used by ${counted(uses.length, user)}:`, ...lines];
}

/** The document of `explain --format json`, `attune.explain/1`. */
export function explainDocument(
  organization: string,
  explanation: AddressExplanation & HoldExplanation,
): Record<string, unknown> {
  const { holds, ...rest } = explanation;
  return {
    format: 'attune.explain/1',
    organization,
    ...rest,
    fields: rest.fields.map(fieldDocument),
    ...(holds.length > 0 && { holds }),
  };
}

function fieldDocument({ entries, ...field }: ExplainedField): Record<string, unknown> {
  return {
    ...field,
    entries: entries.map(({ isEffective, ...entry }) => ({ ...entry, effective: isEffective })),
  };
}
