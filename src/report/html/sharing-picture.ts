import { groupBy } from '../../model/value.ts';
import { figure, shortenedLabel } from '../words.ts';
import { type Html, html } from './escape.ts';

/*
 * The readers of states that change as a picture of two columns of projects: those of the states on the left, those of their readers
 * on the right, and a straight line between two projects.
 */

export interface Reader {
  /** A name, or words for every workspace. */
  readonly label: string;
  /** `null` if it was not read. */
  readonly project: string | null;
}

/** The workspaces that gain, lose or keep access to a state. */
export interface SharingRow {
  readonly owner: string;
  readonly project: string | null;
  readonly readers: readonly Reader[];
  /** What the readers leave out. */
  readonly note?: string | undefined;
  readonly change: 'gained' | 'lost' | null;
}

type Words = Readonly<Record<'gained' | 'lost', string>>;

/** With more lines, there is no picture. */
const mostLines = 200;

const unknown = 'Unknown project';
const longestLabel = 30;
const characterWidth = 7.3;
const boxHeight = 34;
const rowHeight = 44;
const headHeight = 34;

interface Counts {
  readonly gained: number;
  readonly lost: number;
}

interface Step {
  readonly from: string;
  readonly to: string;
  readonly change: SharingRow['change'];
}

interface Box extends Counts {
  readonly label: string;
  readonly top: number;
}

type Line = Counts & Pick<Step, 'from' | 'to'>;

export function sharingPicture(rows: readonly SharingRow[], words: Words): Html | undefined {
  const steps = rows.flatMap(({ project, readers, change }) =>
    readers.map((reader): Step => ({ from: project ?? unknown, to: reader.project ?? unknown, change })),
  );
  const lines = [...groupBy(steps, ({ from, to }) => JSON.stringify([from, to])).values()].map(
    (same): Line => ({ ...(same[0] as Step), ...countsOf(same) }),
  );
  if (lines.length > mostLines) return undefined;
  const [owners, readers] = [column(steps, 'from'), column(steps, 'to')];
  const boxes = [...owners.values(), ...readers.values()];
  const longest = Math.max(...boxes.map((box) => box.label.length + countText(box).length + 2));
  const width = Math.round(longest * characterWidth) + 24;
  const height = headHeight + Math.max(owners.size, readers.size) * rowHeight;
  const gap = Math.round(Math.min(320, Math.max(90, height / 4)));
  const total = 2 * width + gap + 16;
  const middle = (boxes: ReadonlyMap<string, Box>, project: string) =>
    (boxes.get(project)?.top ?? 0) + boxHeight / 2;
  const arrow = (line: Line) => {
    const [from, to] = [middle(owners, line.from), middle(readers, line.to)];
    const [tone, end] = [toneOf(line), width + gap];
    return html`<path class="arrow ${tone}" d="M${width} ${from}L${end - 8} ${to}"/><path class="tip ${tone}" d="M${end - 9} ${to - 4}L${end - 1} ${to}L${end - 9} ${to + 4}z"/>
`;
  };
  return html`<figure class="sharing"><div class="scroll" role="region" tabindex="0" aria-label="Picture of state sharing"><svg class="picture" viewBox="-8 0 ${total} ${height}" width="${total}" height="${height}" role="img" aria-label="State access that changes; the table has the same data">
<g aria-hidden="true"><text class="column" x="0" y="20">State of</text><text class="column" x="${width + gap}" y="20">Read by</text>
${lines.map(arrow)}${[...owners.values()].map((box) => boxElement(box, 0, width))}${[...readers.values()].map((box) => boxElement(box, width + gap, width))}</g>
</svg></div>
<figcaption>${legend(lines, words)}</figcaption></figure>`;
}

function countsOf(steps: readonly Step[]): Counts {
  const gained = steps.filter(({ change }) => change === 'gained').length;
  return { gained, lost: steps.length - gained };
}

function column(steps: readonly Step[], side: 'from' | 'to'): ReadonlyMap<string, Box> {
  const boxes = [...groupBy(steps, (step) => step[side])].map(([project, same], index) => {
    const label = shortenedLabel(project, longestLabel);
    return [project, { label, top: headHeight + index * rowHeight, ...countsOf(same) }] as const;
  });
  return new Map(boxes);
}

function countText({ gained, lost }: Counts): string {
  return `${gained > 0 ? `+${figure(gained)} ` : ''}${lost > 0 ? `−${figure(lost)}` : ''}`.trim();
}

function boxElement(box: Box, x: number, width: number): Html {
  const { label, top } = box;
  const baseline = top + boxHeight / 2 + 4;
  return html`<g class="box"><rect x="${x}" y="${top}" width="${width}" height="${boxHeight}" rx="8"/><text x="${x + 12}" y="${baseline}">${label}</text><text class="counts ${toneOf(box)}" x="${x + width - 12}" y="${baseline}">${countText(box)}</text></g>
`;
}

function toneOf({ gained, lost }: Counts): 'gain' | 'loss' | 'changed' {
  return gained > 0 && lost > 0 ? 'changed' : gained > 0 ? 'gain' : 'loss';
}

function legend(lines: readonly Line[], { gained, lost }: Words): Html {
  const tones = { gain: gained, loss: lost, changed: `${gained}, and ${lost}` };
  const used = Object.entries(tones).filter(([tone]) => lines.some((line) => toneOf(line) === tone));
  return html`<ul class="legend">${used.map(([tone, text]) => html`<li><svg viewBox="0 0 40 12" width="40" height="12" aria-hidden="true"><path class="arrow ${tone}" d="M2 6H38"/></svg> ${text}</li>`)}</ul>`;
}
