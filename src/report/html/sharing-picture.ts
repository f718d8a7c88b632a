import { figure, shortenedLabel } from '../words.ts';
import { type Html, html } from './escape.ts';

/*
 * The readers of states that change as a picture of two columns of projects: the states on the left, their readers on the right, and
 * a straight line for each change. With many changes, there is one line for all of those between two projects.
 */

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
  readonly by: 'list' | 'project switch' | 'organization switch';
  readonly change: 'gained' | 'lost' | null;
}

type Words = Readonly<Record<'gained' | 'lost', string>>;

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

export function sharingPicture(rows: readonly SharingRow[], words: Words): Html | undefined {
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

function legend(lines: readonly Line[], { gained, lost }: Words): Html {
  const tones = { gain: gained, loss: lost, changed: `${gained}, and ${lost}` };
  const used = Object.entries(tones).filter(([tone]) => lines.some((line) => toneOf(line) === tone));
  return html`<ul class="legend">${used.map(([tone, text]) => html`<li><svg viewBox="0 0 40 12" width="40" height="12" aria-hidden="true"><path class="arrow ${tone}" d="M2 6H38"/></svg> ${text}</li>`)}</ul>`;
}
