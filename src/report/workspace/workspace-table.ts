import type { WorkspaceEntry } from '../../live/workspace-entry.ts';
import { escapeControls } from '../escape-controls.ts';
import { type Paint, plain } from '../paint.ts';

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
  readonly paint?: Paint;
}

/** The list for a terminal. */
export function workspaceTable(entries: readonly WorkspaceEntry[], options: TableOptions): string {
  const { width, paint = plain } = options;
  const cells = [columns.map(({ title }) => title), ...entries.map(cellsOf)];
  const widths = fitted(cells, width);
  const lines = cells.map((row) =>
    row
      .map((text, index) => cut(text, widths[index] ?? 0).padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const [head = '', ...body] = lines;
  return `${[paint('bold', head), ...body].join('\n')}\n`;
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
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)));
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
