import {
  type Overview,
  projectOfMembers,
  type StateAccessChange,
  type WorkspaceOverview,
} from '../../model/plan.ts';
import { workspaceAddress } from '../../model/state.ts';
import { groupBy } from '../../model/value.ts';
import { escapeTexts } from '../escape-controls.ts';
import { namesText } from '../values.ts';
import { countedFigure, figure, shortenedLabel } from '../words.ts';
import { changeLink, type PagePart } from './elements.ts';
import { type Html, html } from './escape.ts';

/*
 * Who gains, loses or keeps access to which state, as rows: a table, and a picture of those that change. The picture has two
 * columns of projects: those of the states on the left, those of their readers on the right, and a straight line between two.
 */

interface Reader {
  /** A name, or words for every workspace. */
  readonly label: string;
  /** `null` if it was not read. */
  readonly project: string | null;
}

/** The workspaces that gain, lose or keep access to a state. */
interface SharingRow {
  readonly owner: string;
  readonly project: string | null;
  readonly readers: readonly Reader[];
  /** What the readers leave out. */
  readonly note?: string | undefined;
  readonly change: 'gained' | 'lost' | null;
}

type SharingInput = Pick<Overview, 'workspaces'> & {
  readonly stateAccess: readonly StateAccessChange[];
};

export function sharingView({ workspaces, stateAccess }: SharingInput) {
  const projects = new Map(workspaces.map(({ name, project }) => [name, project]));
  const changes = new Map(stateAccess.map((change) => [change.workspace, change]));
  const readersOf = (names: readonly string[]) =>
    names.map((name): Reader => {
      const project = projectOfMembers(name);
      if (name === '*') return { label: 'every workspace', project: 'All projects' };
      if (project !== undefined) return { label: `every workspace of ${project}`, project };
      return { label: name, project: projects.get(name) ?? null };
    });
  const rowOf = (owner: string, names: readonly string[], change: SharingRow['change'], note?: string) =>
    names.length === 0
      ? []
      : { owner, project: projects.get(owner) ?? null, readers: readersOf(names), note, change };
  const changedRows = ({ workspace, gains, loses, unknown }: StateAccessChange): SharingRow[] => {
    // With `*` on one side, the other side lists all readers by name, not only those that change.
    const kept = loses.includes('*') ? gains : [];
    const except =
      kept.length > 0 ? `except ${namesText(readersOf(kept).map(({ label }) => label))}` : undefined;
    const [gained, lost] = unknown
      ? ['other readers, whose list was not read, lose access', 'the remaining readers are unknown']
      : [undefined, except];
    const gaining = kept.length > 0 ? [] : gains;
    return [rowOf(workspace, gaining, 'gained', gained), rowOf(workspace, loses, 'lost', lost)].flat();
  };
  const sameRow = ({ name, readers: { before, after } }: WorkspaceOverview) => {
    const { gains = [], loses = [] } = changes.get(name) ?? {};
    const [had, has] = [asList(before), asList(after)];
    const other = new Set([name, ...gains, ...loses]);
    const isName = (reader: string) => reader !== '*' && projectOfMembers(reader) === undefined;
    const isKept = (reader: string) => isName(reader) || (had.includes(reader) && has.includes(reader));
    const kept = loses.includes('*')
      ? gains
      : [...new Set([...had, ...has])].filter((reader) => !other.has(reader) && isKept(reader));
    return rowOf(name, kept, null);
  };
  return {
    ...escapeTexts({ changed: stateAccess.flatMap(changedRows), same: workspaces.flatMap(sameRow) }),
    // A new workspace that declares no readers has none.
    unread: workspaces.filter(
      ({ action, readers: { before, after } }) => action !== 'create' && (before === null || after === null),
    ).length,
  };
}

function asList(readers: WorkspaceOverview['readers']['before']): readonly string[] {
  return readers === '*' ? ['*'] : (readers ?? []);
}

/** The heading of a fold and its content; nothing where no state is known to be shared. */
export function sharing(input: SharingInput, part: PagePart, names: readonly string[]): Html | undefined {
  const { prefix, kind } = part;
  const { changed, same, unread } = sharingView(input);
  if (changed.length + same.length === 0) return undefined;
  const count = (side: 'gained' | 'lost') =>
    figure(changed.reduce((sum, { change, readers }) => sum + (change === side ? readers.length : 0), 0));
  const changes =
    changed.length > 0
      ? html`${kind === 'apply' && html`<p class="lead">This is the plan; the list of changes shows what was applied.</p>`}${sharingPicture(changed)}${table(changed, `${prefix}-sharing-title`, part)}`
      : html`<p class="empty">No known differences in who can read which state.</p>`;
  const fold =
    same.length > 0 &&
    html`<details class="fold"><summary id="${prefix}-sharing-same">Unchanged sharing: ${countedFigure(same.length, 'workspace')}</summary>${table(same, `${prefix}-sharing-same`, part)}</details>`;
  const unknown =
    unread > 0 &&
    html`<p class="aside">The readers of ${countedFigure(unread, 'workspace')} are unknown: their lists were not read.</p>`;
  const counts =
    changed.length > 0 && html` <span class="count">+${count('gained')} −${count('lost')}</span>`;
  return html`<summary><h2 id="${prefix}-sharing-title">State sharing</h2>${counts}${names.map((name) => html` <span class="address">${name}</span>`)}</summary>
${changes}${fold}${unknown}`;
}

const mostRows = 3000;

function table(rows: readonly SharingRow[], label: string, part: PagePart): Html {
  const hasChanges = rows.some(({ change }) => change !== null);
  const rest = rows.length - mostRows;
  return html`<div class="scroll stack" role="region" tabindex="0" aria-labelledby="${label}"><table class="sharing-table">
<thead><tr>${hasChanges && html`<th scope="col">Change</th>`}<th scope="col">State of</th><th scope="col">Read by</th></tr></thead>
<tbody>${rows.slice(0, mostRows).map((row) => tableRow(row, part))}</tbody></table></div>${rest > 0 && html`<p class="aside">and ${countedFigure(rest, 'more row')}</p>`}`;
}

function tableRow({ owner, project, readers, note, change }: SharingRow, part: PagePart): Html {
  const labels = readers.map(({ label }) => label);
  return html`<tr>${changeCell(change, part)}<th scope="row">${workspaceLinks([owner], part)}${project !== null && html` <span class="aside">${project}</span>`}</th><td>${workspaceLinks(labels, part)}${note !== undefined && html` <span class="aside">(${note})</span>`}</td></tr>
`;
}

const mostNames = 60;

function workspaceLinks(workspaces: readonly string[], part: PagePart): Html {
  const links = workspaces
    .slice(0, mostNames)
    .map((name) => html`<code>${changeLink(workspaceAddress(name), part, name)}</code>`);
  const rest = workspaces.length - mostNames;
  return html`${links.map((link, index) => [index > 0 && ', ', link])}${rest > 0 && ` and ${countedFigure(rest, 'more workspace')}`}`;
}

function changeCell(change: SharingRow['change'], { kind }: PagePart): Html | false {
  if (change === null) return false;
  const isGain = change === 'gained';
  const difference = isGain ? 'declared, not live' : 'live, not declared';
  return html`<td><span class="chip ${isGain ? 'gain' : 'loss'}"><b aria-hidden="true">${isGain ? '+' : '−'}</b>${kind === 'drift' ? difference : change}</span></td>`;
}

/** With more lines, there is no picture. */
const mostLines = 200;

const unknown = 'Unknown project';
const longestLabel = 30;
const characterWidth = 7.3;
const boxHeight = 34;
const rowHeight = 44;
const headHeight = 34;
/** On a phone, a narrower picture is scaled and a wider one scrolls. */
const widest = 440;

interface Step {
  readonly from: string;
  readonly to: string;
  readonly change: SharingRow['change'];
}

function sharingPicture(rows: readonly SharingRow[]): Html | undefined {
  const steps = rows.flatMap(({ project, readers, change }) =>
    readers.map((reader): Step => ({ from: project ?? unknown, to: reader.project ?? unknown, change })),
  );
  const lines = [...groupBy(steps, ({ from, to }) => JSON.stringify([from, to])).values()];
  if (lines.length > mostLines) return undefined;
  const [owners, readers] = [column(steps, 'from'), column(steps, 'to')];
  const boxes = [...owners, ...readers];
  const longest = Math.max(...boxes.map((box) => box.label.length + box.count.length + 2));
  const width = Math.round(longest * characterWidth) + 24;
  const height = headHeight + Math.max(owners.length, readers.length) * rowHeight;
  const gap = Math.round(Math.min(320, Math.max(90, height / 4)));
  const total = 2 * width + gap + 16;
  const arrow = (same: readonly Step[]) => {
    const [line] = same as [Step];
    const from = owners.find(({ project }) => project === line.from)?.middle ?? 0;
    const to = readers.find(({ project }) => project === line.to)?.middle ?? 0;
    const [{ tone }, end] = [changeOf(same), width + gap];
    return html`<path class="arrow ${tone}" d="M${width} ${from}L${end - 8} ${to}"/><path class="tip ${tone}" d="M${end - 9} ${to - 4}L${end - 1} ${to}L${end - 9} ${to + 4}z"/>
`;
  };
  return html`<figure class="sharing"><div class="scroll" role="region" tabindex="0" aria-label="Picture of state sharing"><svg class="picture${total > widest && ' wide'}" viewBox="-8 0 ${total} ${height}" width="${total}" height="${height}" role="img" aria-label="State access that changes; the table has the same data">
<g aria-hidden="true"><text class="column" x="0" y="20">State of</text><text class="column" x="${width + gap}" y="20">Read by</text>
${lines.map(arrow)}${owners.map((box) => boxElement(box, 0, width))}${readers.map((box) => boxElement(box, width + gap, width))}</g>
</svg></div></figure>`;
}

/** How many gain and lose access, as text and as a tone. */
function changeOf(steps: readonly Step[]) {
  const gained = steps.filter(({ change }) => change === 'gained').length;
  const lost = steps.length - gained;
  const texts = [gained > 0 ? `+${figure(gained)}` : [], lost > 0 ? `−${figure(lost)}` : []];
  return {
    count: texts.flat().join(' '),
    tone: texts.flat().length > 1 ? 'changed' : gained > 0 ? 'gain' : 'loss',
  };
}

function column(steps: readonly Step[], side: 'from' | 'to') {
  return [...groupBy(steps, (step) => step[side])].map(([project, same], index) => {
    const middle = headHeight + index * rowHeight + boxHeight / 2;
    return { project, label: shortenedLabel(project, longestLabel), middle, ...changeOf(same) };
  });
}

type Box = ReturnType<typeof column>[number];

function boxElement({ label, middle, count, tone }: Box, x: number, width: number): Html {
  return html`<g class="box"><rect x="${x}" y="${middle - boxHeight / 2}" width="${width}" height="${boxHeight}" rx="8"/><text x="${x + 12}" y="${middle + 4}">${label}</text><text class="counts ${tone}" x="${x + width - 12}" y="${middle + 4}">${count}</text></g>
`;
}
