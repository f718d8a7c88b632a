import type { SharingRow, SharingView } from '../sharing-view.ts';
import { countedFigure, figure, shortenedLabel } from '../words.ts';
import { type PagePart, section, workspaceLinks } from './elements.ts';
import { type Html, html } from './escape.ts';

/** Which workspaces gain and lose access to the state of others, as a picture and a table; a fold has the others. */
export function sharing(read: SharingView, part: PagePart): Html | undefined {
  const { prefix, kind } = part;
  if (read.workspaces === 0) return undefined;
  const { changed, same, unread } = read;
  const count = (side: 'gained' | 'lost') =>
    figure(changed.reduce((sum, { change, readers }) => sum + (change === side ? readers.length : 0), 0));
  const heading = html`State sharing${changed.length > 0 && html` <span class="count">+${count('gained')} −${count('lost')}</span>`}`;
  const changes =
    changed.length > 0
      ? html`${kind === 'apply' && html`<p class="lead">This is the plan; the list of changes shows what was applied.</p>`}${sharingPicture(changed, part)}${table(changed, `${prefix}-sharing-title`, part)}`
      : html`<p class="empty">${same.length > 0 ? 'No differences in who can read which state.' : nothingShared(read)}</p>`;
  const fold =
    same.length > 0 &&
    html`<details class="fold"><summary id="${prefix}-sharing-same">Unchanged sharing: ${countedFigure(same.length, 'workspace')}</summary>${table(same, `${prefix}-sharing-same`, part)}</details>`;
  const unknown =
    unread > 0 &&
    html`<p class="aside">The readers of ${countedFigure(unread, 'workspace')} are unknown: their lists were not read.</p>`;
  return section(part, 'sharing', heading, html`${changes}${fold}${unknown}`);
}

/** The words for state access that exists on one side only. */
function wordsOf(kind: PagePart['kind']): Readonly<Record<'gained' | 'lost', string>> {
  const isDrift = kind === 'drift';
  return isDrift
    ? { gained: 'declared, not live', lost: 'live, not declared' }
    : { gained: 'gained', lost: 'lost' };
}

/** Only what was read is known to share nothing. */
function nothingShared({ workspaces, unread }: SharingView): string {
  if (unread === 0) return 'No workspace shares its state with another.';
  if (unread === workspaces) return 'No list of readers was read, so state sharing is unknown.';
  const read = workspaces - unread;
  if (read === 1) return 'The one workspace whose readers were read shares its state with no other.';
  return `None of the ${figure(read)} workspaces whose readers were read shares its state with another.`;
}

/** The maximum of rows in a table; the rest is counted. */
const mostRows = 3000;

function table(rows: readonly SharingRow[], label: string, part: PagePart): Html {
  const hasChanges = rows.some(({ change }) => change !== null);
  const rest = rows.length - mostRows;
  return html`<div class="scroll stack" role="region" tabindex="0" aria-labelledby="${label}"><table class="sharing-table">
<thead><tr>${hasChanges && html`<th scope="col">Change</th>`}<th scope="col">State of</th><th scope="col">Read by</th><th scope="col">By</th></tr></thead>
<tbody>${rows.slice(0, mostRows).map((row) => tableRow(row, part))}</tbody></table></div>${rest > 0 && html`<p class="aside">and ${countedFigure(rest, 'more row')}</p>`}`;
}

function tableRow({ owner, project, readers, note, by, change }: SharingRow, part: PagePart): Html {
  const labels = readers.map(({ label }) => label);
  return html`<tr>${changeCell(change, part)}<th scope="row">${workspaceLinks([owner], part)}${project !== null && html` <span class="aside">${project}</span>`}</th><td>${workspaceLinks(labels, part)}${note !== undefined && html` <span class="aside">(${note})</span>`}</td><td>${by}</td></tr>
`;
}

function changeCell(change: SharingRow['change'], { kind }: PagePart): Html | false {
  if (change === null) return false;
  const [tone, sign] = change === 'gained' ? ['gain', '+'] : ['loss', '−'];
  return html`<td><span class="chip ${tone}"><b aria-hidden="true">${sign}</b>${wordsOf(kind)[change]}</span></td>`;
}

/*
 * The state access that changes, as two columns of projects: the states on the left, their readers on the right, and a
 * straight line for each change. With many changes, there is one line for all of those between two projects.
 */

/** With more changes, lines join projects instead of workspaces. */
const mostLines = 40;
/** With more lines even so, there is no picture. */
const mostJoined = 200;

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

/** The rows of each project, by key. */
type Column = Map<string, Map<string, Row>>;

interface Line extends Counts {
  readonly from: Row;
  readonly to: Row;
}

function sharingPicture(rows: readonly SharingRow[], part: PagePart): Html | undefined {
  const changes = rows.flatMap(({ owner, project, readers, change }) =>
    readers.map((reader) => ({
      owner,
      reader: reader.label,
      from: nameOf(project),
      to: nameOf(reader.project),
      change,
    })),
  );
  const isJoined = changes.length > mostLines;
  const owners: Column = new Map();
  const readers: Column = new Map();
  const lines = new Map<string, Line>();
  for (const { owner, reader, from, to, change } of changes) {
    const left = rowIn(owners, from, isJoined ? `to ${to}` : owner);
    const right = rowIn(readers, to, isJoined ? '' : reader);
    right.names.add(reader);
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
<figcaption>${legend([...lines.values()], part)}</figcaption></figure>`;
}

function nameOf(project: string | null): string {
  return project ?? 'Unknown project';
}

function rowIn(column: Column, project: string, label: string): Row {
  const rows = column.get(project) ?? new Map<string, Row>();
  const row = rows.get(label) ?? { label, names: new Set(), gained: 0, lost: 0, y: 0 };
  column.set(project, rows.set(label, row));
  return row;
}

/** Sets the middle of each row; returns the height of the column. */
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
  const counts = [
    gained > 0 && html`<tspan class="gain">+${figure(gained)}</tspan>`,
    gained > 0 && lost > 0 && ' ',
    lost > 0 && html`<tspan class="loss">−${figure(lost)}</tspan>`,
  ];
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

function legend(lines: readonly Line[], { kind }: PagePart): Html {
  const { gained, lost } = wordsOf(kind);
  const words = { gain: gained, loss: lost, changed: `${gained}, and ${lost}` };
  const used = (['gain', 'loss', 'changed'] as const).filter((tone) =>
    lines.some((line) => toneOf(line) === tone),
  );
  return html`<ul class="legend">${used.map((tone) => html`<li><svg viewBox="0 0 40 12" width="40" height="12" aria-hidden="true"><path class="arrow ${tone}" d="M2 6H38"/></svg> ${words[tone]}</li>`)}</ul>`;
}
