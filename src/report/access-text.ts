import type { SourceLocation } from '../model/diagnostic.ts';
import type {
  AccessResult,
  AccessRight,
  AccessRow,
  StateAccessRow,
  TeamAccessRow,
} from '../model/results.ts';
import { escapeControls, escapeTexts, jsonText } from './escape-controls.ts';
import { codeSpan } from './markdown.ts';
import { alignedRows, type Paint, tableText } from './paint.ts';
import type { RenderOptions } from './report.ts';
import { flowText } from './values.ts';

const rights = ['LEVEL', 'RUNS', 'VARIABLES', 'STATE', 'SOURCE'];
const readers = ['WORKSPACE', 'PROJECT', 'VIA', 'SOURCE'];

/** An answer as every format shows it: what was asked, a sentence if nothing was found, and tables with their titles first. */
export function accessView(result: AccessResult) {
  return { title: questionText(result), none: emptyText(result), tables: accessTables(result) };
}

export function renderAccess(
  result: AccessResult,
  format: 'text' | 'json' | 'csv' | 'markdown',
  { paint, width }: Pick<RenderOptions, 'paint' | 'width'>,
): string {
  if (format === 'json') return jsonText({ format: 'attune.access/1', ...result });
  if (format === 'csv') return accessCsv(result);
  return format === 'markdown' ? accessMarkdown(result) : accessText(result, paint, width);
}

/** The matrix, whose facts are in the list, too, is left out if it is wider than the terminal. */
function accessText(result: AccessResult, paint: Paint, width = Number.POSITIVE_INFINITY): string {
  const { organization, address } = result;
  const { title, none, tables } = accessView(result);
  const heading = `${paint('bold', escapeControls(organization))}  ${escapeControls(address)}\n${title === undefined ? '' : `\n${escapeControls(title)}:\n`}`;
  const shown = tables.map((cells) => escapeTexts(cells));
  const isMatrix = (index: number) => index === 0 && tables.length === 2 && title === undefined;
  const texts = shown
    .filter((cells, index) => !isMatrix(index) || alignedRows(cells).every((line) => line.length <= width))
    .map((cells) => `\n${tableText(cells, paint)}`);
  return `${heading}${none === undefined ? '' : `\n${none}\n`}${texts.join('')}`;
}

function accessMarkdown(result: AccessResult): string {
  const { title, none, tables } = accessView(result);
  const texts = tables.map(([head = [], ...body]) => {
    const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
    const titles = line(head.map(markdownCell)) + line(head.map(() => '---'));
    return titles + body.map((cells) => line(cells.map(markdownCell))).join('');
  });
  return [
    title && `${codeSpan(escapeControls(`${result.organization}: ${title}`))}\n`,
    none && `${codeSpan(escapeControls(none))}\n`,
    ...texts,
  ]
    .filter((part) => part !== undefined)
    .join('\n');
}

/** A table ends a cell at each bar, also in code. */
function markdownCell(text: string): string {
  return text === '-' ? text : codeSpan(escapeControls(text)).replaceAll('|', String.raw`\|`);
}

const csvTitles = [
  ...['team', 'workspace', 'project', 'level', 'via', 'runs', 'variables', 'state', 'source'],
  ...['detail', 'file', 'line', 'until'],
];

/** One line for each row, quoted as RFC 4180 describes it. A spreadsheet runs no cell as a formula. */
function accessCsv({ rows }: AccessResult): string {
  const lines = rows.map((row) => {
    const detail = 'team' in row ? (row.role ?? row.permission) : (row.reason ?? selectorsOf(row));
    const values: Readonly<Record<string, unknown>> = { ...row, detail, ...row.location };
    return csvTitles.map((title) => String(values[title] ?? ''));
  });
  return [csvTitles, ...lines].map((cells) => `${cells.map(csvCell).join(',')}\n`).join('');
}

function csvCell(text: string): string {
  const printed = escapeControls(text);
  // As OWASP recommends against CSV injection; some spreadsheets take the full-width characters, too.
  const shown = /^[=+\-@＝＋－＠]/.test(printed) ? `'${printed}` : printed;
  return shown !== printed || /[",]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}

type Cells = readonly (readonly string[])[];

function accessTables({ question, rows }: AccessResult): readonly Cells[] {
  const teams = rows.filter((row) => 'team' in row);
  const states = rows.filter((row) => !('team' in row));
  const byTeam = cellsOf(['TEAM', ...rights], teams);
  if (question.stateOf !== undefined || question.stateFor !== undefined)
    return [cellsOf(readers, states), byTeam].filter(({ length }) => length > 1);
  if (teams.length === 0) return [];
  if (question.project !== undefined || question.workspace !== undefined) return [byTeam];
  if (question.team !== undefined) return [cellsOf(['PROJECT', ...rights], teams)];
  return [matrixOf(teams), cellsOf(['PROJECT', 'TEAM', ...rights], teams)];
}

/** The title of a column is the key of its values. */
function cellsOf(titles: readonly string[], rows: readonly AccessRow[]): Cells {
  const cellOf = (row: AccessRow, title: string) => {
    const values = { ...row, source: sourcesOf(row) } as Readonly<Record<string, unknown>>;
    return String(values[title.toLowerCase()] ?? '-');
  };
  return [titles, ...rows.map((row) => titles.map((title) => cellOf(row, title)))];
}

function matrixOf(all: readonly TeamAccessRow[]): Cells {
  const projects = [...new Set(all.map(({ project }) => project))].sort();
  const teams = [...new Set(all.map(({ team }) => team))].sort();
  const keyOf = (project: string, team: string) => JSON.stringify([project, team]);
  const known = new Map(all.map((row) => [keyOf(row.project, row.team), row]));
  // What could not be read can be access of any team.
  const levelOf = (project: string, team: string) =>
    (known.get(keyOf(project, team)) ?? known.get(keyOf(project, '*')))?.level ?? '-';
  return [
    ['PROJECT', ...teams],
    ...projects.map((project) => [project, ...teams.map((team) => levelOf(project, team))]),
  ];
}

function sourcesOf(row: AccessRow): string {
  if (!('team' in row)) {
    const named = [row.source, selectorsOf(row)].filter((part) => part !== undefined).join(' ');
    return withPlace(named, row.location) + (row.reason === undefined ? '' : `: ${row.reason}`);
  }
  const others = (row.also ?? []).map((right) => `${right.level} by ${sourceOf(right)}`);
  return `${sourceOf(row)}${others.length > 0 ? `; also ${others.join(', ')}` : ''}`;
}

function selectorsOf({ selectors }: StateAccessRow): string | undefined {
  return selectors?.map((one) => flowText(one)).join(' or ');
}

function sourceOf({ source, role, permission, location, until }: AccessRight): string {
  const named = source === 'organization-permission' ? 'organization permission' : source;
  const detail = role ?? permission;
  const ends = until === undefined ? '' : `, until ${until}`;
  return `${withPlace(detail === undefined ? named : `${named} ${detail}`, location)}${ends}`;
}

function withPlace(text: string, location: SourceLocation | undefined): string {
  return location === undefined ? text : `${text} (${location.file}:${location.line})`;
}

function questionText({ question }: AccessResult): string | undefined {
  const { team, project, workspace, stateOf, stateFor } = question;
  if (stateOf !== undefined) return `Who can read the state of ${stateOf}`;
  if (stateFor !== undefined) return `States that ${stateFor} can read`;
  const place = workspace ?? project;
  if (team !== undefined) return `Access of team ${team}${place === undefined ? '' : ` to ${place}`}`;
  return place === undefined ? undefined : `Access to ${place}`;
}

/** A question about states is about workspaces; the teams of one come beside them. */
function emptyText({ question, rows }: AccessResult): string | undefined {
  const isOfStates = question.stateOf !== undefined || question.stateFor !== undefined;
  if (rows.some((row) => !isOfStates || !('team' in row))) return undefined;
  return isOfStates ? 'No other workspace.' : 'No team has access.';
}
