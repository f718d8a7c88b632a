import { Document, Scalar, visit } from 'yaml';
import { holderText } from '../live/included.ts';
import { bindingText } from '../model/list-rule.ts';
import type { NamedThing, WorkspaceEntry } from '../model/results.ts';
import type { Value, Values } from '../model/value.ts';
import type { RenderedConfiguration } from '../write/render.ts';
import { escapeControls, escapeInQuotes, needsEscapes } from './escape-controls.ts';
import { columnWidths, type Paint, tableText } from './paint.ts';
import { valueText } from './values.ts';

type Line = readonly [label: string, text: string];

/** Where the values start. */
const labelWidth = 34;

/** All details of one workspace. */
export function workspaceText(entry: WorkspaceEntry, paint: Paint): string {
  const groups: readonly (readonly Line[])[] = [about(entry), valueLines(entry.settings), facts(entry)];
  const body = groups.map((lines) => lines.map((line) => `${labelled(line, paint)}\n`).join(''));
  return `${paint('bold', escapeControls(entry.name))}  ${entry.id}\n\n${body.join('\n')}`;
}

function about(entry: WorkspaceEntry): Line[] {
  const { project, declared, tags, tagBindings, resources, sshKey, consumers, dataRetention } = entry;
  return [
    ['project', project ? thingText(project) : '(none)'],
    ['declared', declared ? declaredText(declared) : 'no'],
    ['lock', lockText(entry)],
    ...(resources === undefined ? [] : [['resources', String(resources)] as const]),
    ['tags', valueText(tags)],
    ...(tagBindings === undefined ? [] : [['tag-bindings', bindingsText(tagBindings)] as const]),
    ...(consumers === undefined ? [] : [['state readable by', consumersText(consumers)] as const]),
    ['ssh-key', sshKey ? thingText(sshKey) : '(none)'],
    ...(dataRetention === undefined ? [] : [['data-retention', retentionText(dataRetention)] as const]),
  ];
}

function bindingsText(bindings: NonNullable<WorkspaceEntry['tagBindings']>): string {
  if (bindings.length === 0) return '(none)';
  return bindings
    .map(({ key, value, inherited }) => `${bindingText(key, value)}${inherited ? ' (inherited)' : ''}`)
    .join(', ');
}

function facts({ facts: computed, permissions }: WorkspaceEntry): Line[] {
  const allowed: Line = [
    'permissions of this token',
    permissions.length > 0 ? permissions.join(', ') : 'unknown',
  ];
  return [...valueLines(computed), allowed];
}

function valueLines(values: Values): Line[] {
  return Object.entries(values).map(([path, value]) => [path, valueText(value)]);
}

function labelled([label, text]: Line, paint: Paint): string {
  return `  ${paint('dim', escapeControls(label).padEnd(labelWidth))}  ${escapeControls(text)}`;
}

function thingText({ alias, name, id }: NamedThing): string {
  const called = [alias, name === alias ? undefined : name].filter((text) => text !== undefined);
  return called.length > 0 ? `${called.join(', ')} (${id})` : id;
}

function declaredText({ file, line, protect }: NonNullable<WorkspaceEntry['declared']>): string {
  return `${file}:${line}${protect ? ', protected' : ''}`;
}

function lockText({ lock: { locked, by, reason } }: WorkspaceEntry): string {
  if (!locked) return 'unlocked';
  return `locked${by ? ` by ${holderText(by)}` : ''}${reason === undefined ? '' : `: ${reason}`}`;
}

function consumersText(consumers: NonNullable<WorkspaceEntry['consumers']>): string {
  if (consumers === 'all') return 'every workspace of the organization';
  if (consumers === 'project') return 'every workspace of its project';
  return consumers.length === 0
    ? 'no other workspace'
    : consumers.map(({ name, id }) => name ?? id).join(', ');
}

function retentionText(retention: Value): string {
  return retention === null ? 'not set' : valueText(retention);
}

interface Column {
  readonly title: string;
  /** Down to which width it may be cut where the line is too long; names are never cut. */
  readonly least?: number;
  readonly cell: (entry: WorkspaceEntry) => string;
}

/** The placeholder for no value: a column is never empty, so that tools can split the line. */
const none = '-';

const columns: readonly Column[] = [
  { title: 'NAME', cell: ({ name }) => name },
  {
    title: 'PROJECT',
    least: 12,
    cell: ({ project }) => project?.alias ?? project?.name ?? project?.id ?? none,
  },
  { title: 'MODE', cell: ({ settings }) => String(settings['execution-mode'] ?? none) },
  { title: 'VERSION', cell: ({ settings }) => String(settings['iac-version'] ?? none) },
  { title: 'RESOURCES', cell: ({ resources }) => String(resources ?? none) },
  { title: 'LOCKED BY', least: 10, cell: lockCell },
  { title: 'TAGS', least: 8, cell: ({ tags }) => tags.join(',') || none },
];

export interface TableOptions {
  /** Characters per line: the longest columns are cut to fit. */
  readonly width: number;
  readonly paint: Paint;
}

/** The list for a terminal. */
export function workspaceTable(entries: readonly WorkspaceEntry[], { width, paint }: TableOptions): string {
  const cells = [columns.map(({ title }) => title), ...entries.map(cellsOf)];
  const widths = fitted(cells, width);
  const rows = cells.map((row) => row.map((text, index) => cut(text, widths[index] ?? 0)));
  return tableText(rows, paint);
}

/** The list for tools: the same columns, whole, with a tab between them and no heading. */
export function workspaceLines(entries: readonly WorkspaceEntry[]): string {
  return entries.map((entry) => `${cellsOf(entry).join('\t')}\n`).join('');
}

function cellsOf(entry: WorkspaceEntry): string[] {
  return columns.map(({ cell }) => escapeControls(cell(entry)));
}

function lockCell({ lock: { locked, by } }: WorkspaceEntry): string {
  if (!locked) return none;
  return by ? (by.name ?? by.id) : 'unknown';
}

/** Each column is as wide as its widest cell. If the line is too long, the last columns shrink first. */
function fitted(cells: readonly (readonly string[])[], width: number): number[] {
  const widths = columnWidths(cells);
  let excess = widths.reduce((sum, one) => sum + one + 2, -2) - width;
  for (const [index, { least }] of [...columns.entries()].reverse()) {
    const current = widths[index] ?? 0;
    if (excess <= 0 || least === undefined || current <= least) continue;
    const saved = Math.min(excess, current - least);
    widths[index] = current - saved;
    excess -= saved;
  }
  return widths;
}

function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}

/**
 * An effective configuration as a root file in YAML.
 *
 * @param head lines above the configuration
 */
export function renderedYaml(document: RenderedConfiguration, head: readonly string[]): string {
  // Without aliases of YAML: equal lists of two workspaces are written twice.
  const yaml = new Document(document, { aliasDuplicateObjects: false });
  const comments = head.map((line) => `# ${escapeControls(line)}\n`).join('');
  // Only text in double quotes can have escapes.
  visit(yaml, {
    Scalar: (_key, node) => {
      if (typeof node.value === 'string' && needsEscapes(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  const text = yaml.toString({ lineWidth: 0, flowCollectionPadding: false, doubleQuotedAsJSON: true });
  return `${comments}${escapeInQuotes(text, codePoint)}`;
}

function codePoint(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
}
