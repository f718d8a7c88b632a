import {
  isEveryWorkspace,
  type Overview,
  projectOfMembers,
  type StateAccessChange,
  type WorkspaceOverview,
} from '../../model/plan.ts';
import { escapeTexts } from '../escape-controls.ts';
import { countedFigure, figure, firstOf, shortenedLabel } from '../words.ts';
import { type Html, html } from './escape.ts';

/*
 * Who gains, loses or keeps access to which state, as rows; and the rows that change as a picture of two columns of projects:
 * the states on the left, their readers on the right, and a straight line for each change. With many changes, there is one
 * line for all of those between two projects.
 */

type SharedBy = 'list' | 'project switch' | 'organization switch';

interface Reader {
  /** A name, or words for every workspace. */
  readonly label: string;
  /** `null` if it was not read. */
  readonly project: string | null;
}

/** The workspaces that gain, lose or keep access to a state, by the same means. */
export interface SharingRow {
  readonly owner: string;
  readonly project: string | null;
  readonly readers: readonly Reader[];
  /** What the words for every workspace leave out. */
  readonly note?: string | undefined;
  readonly by: SharedBy;
  readonly change: 'gained' | 'lost' | null;
}

export interface SharingView {
  readonly changed: readonly SharingRow[];
  readonly same: readonly SharingRow[];
  readonly workspaces: number;
  readonly unread: number;
}

type SharingInput = Pick<Overview, 'workspaces'> & {
  readonly stateAccess: readonly StateAccessChange[];
};

type Readers = WorkspaceOverview['readers']['before'];
type Owner = Pick<WorkspaceOverview, 'name' | 'project' | 'readers'>;

export function sharingView({ workspaces, stateAccess }: SharingInput): SharingView {
  const projects = new Map(workspaces.map(({ name, project }) => [name, project]));
  const changes = new Map(stateAccess.map((change) => [change.workspace, change]));
  const readers = (names: readonly string[], isRest = false) =>
    names.map((name): Reader => {
      const project = projectOfMembers(name);
      const every = isRest ? 'every other workspace' : 'every workspace';
      if (name === '*') return { label: every, project: 'All projects' };
      if (project !== undefined) return { label: `${every} of ${project}`, project };
      return { label: name, project: projects.get(name) ?? null };
    });

  const changedRows = (owner: Owner, change: StateAccessChange): SharingRow[] => {
    const { gains, loses, unknown = false } = change;
    // With `*` on one side, the other side lists all readers by name, not only those that change.
    const except = loses.includes('*') ? gains : [];
    const rowOf = (side: 'gained' | 'lost', names: readonly string[], others: readonly string[]) => ({
      owner: owner.name,
      project: owner.project,
      readers: readers(names, others.length > 0 && except.length === 0),
      by: meansOf(names, side === 'gained' ? owner.readers.after : owner.readers.before),
      change: side,
    });
    if (unknown && gains.length > 0 && gains[0] !== '*') {
      const rest = { label: 'other readers (their list was not read)', project: null };
      return [rowOf('gained', gains, []), { ...rowOf('lost', [], []), readers: [rest], by: 'list' }];
    }
    const note =
      except.length > 0
        ? `except ${labelsText(readers(except))}`
        : unknown && loses.length > 0
          ? 'the remaining readers are unknown'
          : undefined;
    const rows = [
      rowOf('gained', except.length > 0 ? [] : gains, loses),
      { ...rowOf('lost', loses, gains), note },
    ];
    return rows.filter((row) => row.readers.length > 0);
  };

  const sameRow = ({ name, project, readers: { before, after } }: WorkspaceOverview): SharingRow[] => {
    const { gains = [], loses = [] } = changes.get(name) ?? {};
    const [had, has] = [asList(before), asList(after)];
    const other = new Set([name, ...gains, ...loses]);
    const isKept = (reader: string) =>
      !isEveryWorkspace(reader) || (had.includes(reader) && has.includes(reader));
    const kept = loses.includes('*')
      ? gains
      : [...new Set([...had, ...has])].filter((reader) => !other.has(reader) && isKept(reader));
    if (kept.length === 0) return [];
    return [
      { owner: name, project, readers: readers(kept), by: meansOf(kept, after ?? before), change: null },
    ];
  };

  const owners = new Map(workspaces.map((owner) => [owner.name, owner]));
  const unread = { project: null, readers: { before: null, after: null } };
  return {
    ...escapeTexts({
      changed: stateAccess.flatMap((change) =>
        changedRows(owners.get(change.workspace) ?? { ...unread, name: change.workspace }, change),
      ),
      same: workspaces.flatMap(sameRow),
    }),
    workspaces: workspaces.length,
    // A new workspace that declares no readers has none.
    unread: workspaces.filter(
      ({ action, readers: { before, after } }) => action !== 'create' && (before === null || after === null),
    ).length,
  };
}

function meansOf(names: readonly string[], side: Readers): SharedBy {
  if (names.includes('*') || side === '*') return 'organization switch';
  return [...names, ...asList(side)].some(isEveryWorkspace) ? 'project switch' : 'list';
}

function labelsText(readers: readonly Reader[]): string {
  const { shown, rest } = firstOf(readers, 60);
  const more = rest.length > 0 ? [countedFigure(rest.length, 'more workspace')] : [];
  return [...shown.map(({ label }) => label), ...more].join(', ');
}

function asList(readers: Readers): readonly string[] {
  return readers === '*' ? ['*'] : (readers ?? []);
}

export type SharingWords = Readonly<Record<'gained' | 'lost', string>>;

/** With more changes, lines join projects instead of workspaces. */
const mostLines = 40;
/** With more lines even so, there is no picture. */
const mostJoined = 200;

const unknown = 'Unknown project';
const longestLabel = 30;
const characterWidth = 7.3;
const rowHeight = 22;
const titleHeight = 28;
const boxGap = 14;
const headHeight = 30;

interface Counts {
  gained: number;
  lost: number;
}

interface Row extends Counts {
  readonly names: Set<string>;
  readonly label: string;
  y: number;
}

type Column = Map<string, Map<string, Row>>;

interface Line extends Counts {
  readonly from: Row;
  readonly to: Row;
}

export function sharingPicture(rows: readonly SharingRow[], words: SharingWords): Html | undefined {
  const isJoined = rows.reduce((count, { readers }) => count + readers.length, 0) > mostLines;
  const owners: Column = new Map();
  const readers: Column = new Map();
  const lines = new Map<string, Line>();
  for (const { owner, project, readers: labels, change } of rows)
    for (const reader of labels) {
      const [from, to] = [project ?? unknown, reader.project ?? unknown];
      const left = rowIn(owners, from, isJoined ? `to ${to}` : owner);
      const right = rowIn(readers, to, isJoined ? '' : reader.label);
      right.names.add(reader.label);
      const key = JSON.stringify([from, left.label, to, right.label]);
      const line = lines.get(key) ?? { from: left, to: right, gained: 0, lost: 0 };
      lines.set(key, line);
      for (const one of [left, right, line]) one[change === 'gained' ? 'gained' : 'lost'] += 1;
    }
  if (lines.size > mostJoined) return undefined;
  const height = Math.max(place(owners), place(readers));
  const width = columnWidth([...owners, ...readers]);
  const gap = Math.round(Math.min(320, Math.max(90, height / 4)));
  const total = 2 * width + gap;
  return html`<figure class="sharing"><div class="scroll" role="region" tabindex="0" aria-label="Picture of state sharing"><svg class="picture" viewBox="-8 0 ${total + 16} ${height}" width="${total + 16}" height="${height}" role="img" aria-label="State access that changes; the table has the same data">
<g aria-hidden="true"><text class="column" x="0" y="20">State of</text><text class="column" x="${width + gap}" y="20">Read by</text>
${[...lines.values()].map((line) => arrow(line, width, gap))}
${[...owners].map((box) => projectBox(box, 0, width))}
${[...readers].map((box) => projectBox(box, width + gap, width))}</g>
</svg></div>
<figcaption>${legend([...lines.values()], words)}</figcaption></figure>`;
}

function rowIn(column: Column, project: string, label: string): Row {
  const rows = column.get(project) ?? new Map<string, Row>();
  const row = rows.get(label) ?? { label, names: new Set(), gained: 0, lost: 0, y: 0 };
  column.set(project, rows.set(label, row));
  return row;
}

function place(column: Column): number {
  let y = headHeight;
  for (const rows of column.values()) {
    y += titleHeight;
    for (const row of rows.values()) {
      row.y = y + rowHeight / 2;
      y += rowHeight;
    }
    y += boxGap + 6;
  }
  return y;
}

function columnWidth(boxes: readonly (readonly [string, ReadonlyMap<string, Row>])[]): number {
  const lengths = boxes.flatMap(([project, rows]) => [
    fitted(project).length,
    ...[...rows.values()].map((row) => labelOf(row).length + countText(row).length + 2),
  ]);
  return Math.round(Math.max(...lengths) * characterWidth) + 24;
}

function fitted(text: string): string {
  return shortenedLabel(text, longestLabel);
}

function labelOf({ label, names }: Row): string {
  return label === '' ? `${figure(names.size)} readers` : fitted(label);
}

function countText({ gained, lost }: Counts): string {
  return `${gained > 0 ? `+${figure(gained)} ` : ''}${lost > 0 ? `−${figure(lost)}` : ''}`.trim();
}

function projectBox(
  [project, rows]: readonly [string, ReadonlyMap<string, Row>],
  x: number,
  width: number,
): Html {
  const list = [...rows.values()];
  const top = (list[0]?.y ?? 0) - rowHeight / 2 - titleHeight;
  return html`<g class="box"><rect x="${x}" y="${top}" width="${width}" height="${titleHeight + list.length * rowHeight + 6}" rx="8"/><text class="title" x="${x + 12}" y="${top + 19}">${fitted(project)}</text>${list.map((row) => rowText(row, x, width))}</g>
`;
}

function rowText(row: Row, x: number, width: number): Html {
  const { gained, lost, y } = row;
  const counts = html`${gained > 0 && html`<tspan class="gain">+${figure(gained)}</tspan>`}${gained > 0 && lost > 0 && ' '}${lost > 0 && html`<tspan class="loss">−${figure(lost)}</tspan>`}`;
  return html`<text x="${x + 12}" y="${y + 4}">${labelOf(row)}</text><text class="counts" x="${x + width - 12}" y="${y + 4}">${counts}</text>`;
}

function toneOf({ gained, lost }: Counts): 'gain' | 'loss' | 'changed' {
  return gained > 0 && lost > 0 ? 'changed' : gained > 0 ? 'gain' : 'loss';
}

function arrow(line: Line, x: number, gap: number): Html {
  const { from, to } = line;
  const end = x + gap;
  return html`<path class="arrow ${toneOf(line)}" d="M${x} ${from.y}L${end - 8} ${to.y}"/><path class="tip ${toneOf(line)}" d="M${end - 9} ${to.y - 4}L${end - 1} ${to.y}L${end - 9} ${to.y + 4}z"/>
`;
}

function legend(lines: readonly Line[], { gained, lost }: SharingWords): Html {
  const tones = { gain: gained, loss: lost, changed: `${gained}, and ${lost}` };
  const used = Object.entries(tones).filter(([tone]) => lines.some((line) => toneOf(line) === tone));
  return html`<ul class="legend">${used.map(([tone, text]) => html`<li><svg viewBox="0 0 40 12" width="40" height="12" aria-hidden="true"><path class="arrow ${tone}" d="M2 6H38"/></svg> ${text}</li>`)}</ul>`;
}
