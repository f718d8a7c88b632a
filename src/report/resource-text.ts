import { Document, Scalar, visit } from 'yaml';
import type { DeclarationExplanation } from '../desired/explain.ts';
import type { FoundWorkspace } from '../live/find-workspaces.ts';
import { holderText } from '../live/included.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { bindingText } from '../model/list-rule.ts';
import { counted } from '../model/text.ts';
import type { Value, Values } from '../model/value.ts';
import type { RenderedConfiguration } from '../write/render.ts';
import { escapeControls, escapeInQuotes, escapeTexts } from './escape-controls.ts';
import { alignedRows, type Paint, tableText } from './paint.ts';
import { flowText, valueText } from './values.ts';
import { placeText } from './words.ts';

/** A live workspace as `attune workspace list` and `show` print it; also its JSON. */
export interface WorkspaceEntry {
  readonly name: string;
  readonly id: string;
  readonly project: NamedThing | null;
  readonly tags: readonly string[];
  /** The key/value tags in effect; absent if the service did not send them. */
  readonly tagBindings?: readonly TagBindingEntry[] | undefined;
  readonly lock: FoundWorkspace['lock'];
  /** Number of resources that its newest state manages, if the service returns it. */
  readonly resources?: number | undefined;
  readonly sshKey: NamedThing | null;
  /** Every attribute that can be declared, under the neutral names. */
  readonly settings: Values;
  /** All other values that the service returns, under the service's names. */
  readonly facts: Values;
  /** The permissions of the token, in the service's spelling without `can-`. */
  readonly permissions: readonly string[];
  /** With how a tombstone deletes it, or the name that the declaration gives it. */
  readonly declared?:
    | (SourceLocation & Readonly<{ protect: boolean } & Record<'delete' | 'rename', string | undefined>>)
    | undefined;
  /** The workspaces that may read its state: all of the organization, all of its project, or these. Read by `show` only. */
  readonly consumers?: 'all' | 'project' | readonly NamedThing[] | undefined;
  /** Its own data retention; `null` if there is none. Read by `show` only. */
  readonly dataRetention?: Value | undefined;
}

interface TagBindingEntry {
  readonly key: string;
  readonly value: string | null;
  readonly inherited: boolean;
}

interface NamedThing {
  readonly id: string;
  readonly name?: string | undefined;
  readonly alias?: string | undefined;
}

const textWidth = 45;

export function explainText(
  explanation: DeclarationExplanation,
  { paint, path }: { readonly paint: Paint; readonly path: (file: string) => string },
): string {
  const { address, location, fields, usedBy, role, selected, when } = explanation;
  const place = (at: SourceLocation | undefined) => (at ? placeText({ ...at, file: path(at.file) }) : '');
  const noun = address.startsWith('role.') ? 'grant' : 'workspace';
  const rows = fields.flatMap(fieldRows);
  const layerWidth = Math.max(0, ...rows.map(({ layer = '' }) => layer.length));
  const aligned = (some: readonly (readonly string[])[], widths?: number[], isHead = false) =>
    alignedRows(escapeTexts(some), widths, (text, column) =>
      isHead && column === 0 ? paint('bold', text) : text,
    );
  const values = (some: readonly Row[]) =>
    aligned(
      some.map(({ text, layer = '', location: at }) => [text, layer, place(at)]),
      [textWidth, layerWidth],
    );
  const uses = (usedBy ?? []).map((use) => [`  ${use.address}`, place(use.location)]);
  const title =
    usedBy && (uses.length > 0 ? `Used by ${counted(uses.length, noun)}:` : `Used by no ${noun}.`);
  const { extends: templates } = explanation;
  const about: readonly (Row | readonly Row[])[] = [
    templates.length > 0 ? { text: `  extends ${templates.join(', ')}` } : [],
    selected ? { text: `  selected by ${selected.join(', ')}` } : [],
    when === undefined ? [] : { text: `  when ${written(when)}` },
    role ? { text: `  role ${role.name}`, location: role.location } : [],
  ];
  return [
    aligned([[address, place(location)]], [textWidth], true),
    values(about.flat()),
    '',
    rows.length > 0 ? values(rows) : '  (no field is declared)',
    title === undefined ? [] : ['', title],
    aligned(uses, [textWidth]),
    '',
  ]
    .flat()
    .join('\n');
}

interface Row {
  readonly text: string;
  readonly layer?: string;
  readonly location?: SourceLocation | undefined;
}

function fieldRows(field: DeclarationExplanation['fields'][number]): Row[] {
  const { path, value, layer, location, overrides, entries, voidedBy } = field;
  const shown = `${voidedBy ? '(void) ' : ''}${written(value)}`;
  const rows: readonly (Row | readonly Row[])[] = [
    entries.length > 0 ? { text: `  ${path}:` } : { text: `  ${path}: ${shown}`, layer, location },
    voidedBy ? { ...voidedBy, text: `    void because of ${voidedBy.path}: ${written(voidedBy.value)}` } : [],
    overrides.map((lower) => ({ ...lower, text: `    overrides ${written(lower.value)}` })),
    entries.map(({ effect, entry, effective, ...origin }) => ({
      ...origin,
      text: `    ${effectSigns[effect]} ${written(entry)}${effective && !voidedBy ? '' : '  (overridden)'}`,
    })),
  ];
  return rows.flat();
}

const effectSigns = { list: ' ', exactly: '=', add: '+', remove: '-' } as const;

function written(value: Value | undefined): string {
  return flowText(value ?? null, 'null');
}

const labelWidth = 34;

export function workspaceText(entry: WorkspaceEntry, paint: Paint): string {
  const { name, id, settings, facts, permissions } = entry;
  const allowed = permissions.length > 0 ? permissions.join(', ') : 'unknown';
  const groups: readonly Readonly<Record<string, Value | undefined>>[] = [
    aboutOf(entry),
    settings,
    { ...facts, 'permissions of this token': allowed },
  ];
  const bodies = groups.map((group) => {
    const known = Object.entries(group).flatMap(([label, value]) =>
      value === undefined ? [] : [escapeTexts([label, valueText(value)])],
    );
    const dim = (text: string, column: number) => (column === 0 ? paint('dim', text) : text);
    return alignedRows(known, [labelWidth], dim)
      .map((line) => `  ${line}\n`)
      .join('');
  });
  return `${paint('bold', escapeControls(name))}  ${id}\n\n${bodies.join('\n')}`;
}

function aboutOf(entry: WorkspaceEntry): Readonly<Record<string, Value | undefined>> {
  const { project, declared, lock, tags, tagBindings, resources, sshKey, consumers, dataRetention } = entry;
  const { protect, delete: mode, rename } = declared ?? {};
  const next = mode ? `, to delete (${mode})` : rename ? `, to rename to ${rename}` : '';
  const holder = lock.by ? ` by ${holderText(lock.by)}` : '';
  const reason = lock.reason === undefined ? '' : `: ${lock.reason}`;
  const bindings = tagBindings?.map(
    ({ key, value, inherited }) => `${bindingText(key, value)}${inherited ? ' (inherited)' : ''}`,
  );
  return {
    project: project && thingText(project),
    declared: declared ? `${placeText(declared)}${protect ? ', protected' : ''}${next}` : 'no',
    lock: lock.locked ? `locked${holder}${reason}` : 'unlocked',
    resources,
    tags,
    'tag-bindings': bindings,
    'state readable by': consumersText(consumers),
    'ssh-key': sshKey && thingText(sshKey),
    'data-retention': dataRetention === null ? 'not set' : dataRetention,
  };
}

function thingText({ alias, name, id }: NamedThing): string {
  const called = [alias, name === alias ? undefined : name].filter((text) => text !== undefined);
  return called.length > 0 ? `${called.join(', ')} (${id})` : id;
}

function consumersText(consumers: WorkspaceEntry['consumers']): Value | undefined {
  if (consumers === 'all') return 'every workspace of the organization';
  if (consumers === 'project') return 'every workspace of its project';
  if (consumers?.length === 0) return 'no other workspace';
  return consumers?.map(({ name, id }) => name ?? id);
}

/** The placeholder for no value: a column is never empty, so that tools can split the line. */
const none = '-';

const columns: Readonly<Record<string, (entry: WorkspaceEntry) => string>> = {
  NAME: ({ name }) => name,
  PROJECT: ({ project }) => project?.alias ?? project?.name ?? project?.id ?? none,
  MODE: ({ settings }) => String(settings['execution-mode'] ?? none),
  VERSION: ({ settings }) => String(settings['iac-version'] ?? none),
  RESOURCES: ({ resources }) => String(resources ?? none),
  'LOCKED BY': ({ lock: { locked, by } }) => (locked ? (by?.name ?? by?.id ?? 'unknown') : none),
  TAGS: ({ tags }) => tags.join(',') || none,
};

/** A table for a terminal, which `paint` is for; else a line with tabs for each, without titles. */
export function workspaceList(entries: readonly WorkspaceEntry[], paint?: Paint, width?: number): string {
  const rows = entries.map((entry) => Object.values(columns).map((cell) => escapeControls(cell(entry))));
  if (paint && rows.length > 0) return tableText([Object.keys(columns), ...rows], paint, width);
  return rows.map((cells) => `${cells.join('\t')}\n`).join('');
}

export function renderedYaml(document: RenderedConfiguration, head: readonly string[]): string {
  // Without aliases of YAML: equal lists of two workspaces are written twice.
  const yaml = new Document(document, { aliasDuplicateObjects: false });
  const comments = head.map((line) => `# ${escapeControls(line)}\n`).join('');
  // Only text in double quotes can have escapes.
  visit(yaml, {
    Scalar: (_key, node) => {
      const lines = typeof node.value === 'string' ? node.value.split('\n') : [];
      if (lines.some((line) => escapeControls(line) !== line)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  const text = yaml.toString({ lineWidth: 0, flowCollectionPadding: false, doubleQuotedAsJSON: true });
  return `${comments}${escapeInQuotes(text, codePoint)}`;
}

function codePoint(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
}
