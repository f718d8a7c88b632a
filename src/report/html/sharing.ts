import {
  isEveryWorkspace,
  type Overview,
  projectOfMembers,
  type StateAccessChange,
  type WorkspaceOverview,
} from '../../model/plan.ts';
import { workspaceAddress } from '../../model/state.ts';
import { escapeTexts } from '../escape-controls.ts';
import { countedFigure, figure, firstOf } from '../words.ts';
import { changeLink, nameList, type PagePart, section } from './elements.ts';
import { type Html, html } from './escape.ts';
import { type SharingRow, sharingPicture } from './sharing-picture.ts';

/*
 * Who gains, loses or keeps access to which state, as rows: a table, and a picture of those that change.
 */

type Reader = SharingRow['readers'][number];

interface SharingView {
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

function meansOf(names: readonly string[], side: Readers): SharingRow['by'] {
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

export function sharing(input: SharingInput, part: PagePart): Html | undefined {
  const read = sharingView(input);
  const { prefix, kind } = part;
  if (read.workspaces === 0) return undefined;
  const { changed, same, unread } = read;
  const count = (side: 'gained' | 'lost') =>
    figure(changed.reduce((sum, { change, readers }) => sum + (change === side ? readers.length : 0), 0));
  const heading = html`State sharing${changed.length > 0 && html` <span class="count">+${count('gained')} −${count('lost')}</span>`}`;
  const changes =
    changed.length > 0
      ? html`${kind === 'apply' && html`<p class="lead">This is the plan; the list of changes shows what was applied.</p>`}${sharingPicture(changed, wordsOf(kind))}${table(changed, `${prefix}-sharing-title`, part)}`
      : html`<p class="empty">${same.length > 0 ? 'No differences in who can read which state.' : nothingShared(read)}</p>`;
  const fold =
    same.length > 0 &&
    html`<details class="fold"><summary id="${prefix}-sharing-same">Unchanged sharing: ${countedFigure(same.length, 'workspace')}</summary>${table(same, `${prefix}-sharing-same`, part)}</details>`;
  // Without any list, the sentence above is enough.
  const unknown =
    unread > 0 &&
    (changed.length > 0 || unread < read.workspaces) &&
    html`<p class="aside">The readers of ${countedFigure(unread, 'workspace')} are unknown: their lists were not read.</p>`;
  return section(part, 'sharing', heading, html`${changes}${fold}${unknown}`);
}

/** Only what was read is known to share nothing. */
function nothingShared({ workspaces, unread }: SharingView): string {
  if (unread === 0) return 'No workspace shares its state with another.';
  if (unread === workspaces) return 'No list of readers was read, so state sharing is unknown.';
  const read = workspaces - unread;
  if (read === 1) return 'The one workspace whose readers were read shares its state with no other.';
  return `None of the ${figure(read)} workspaces whose readers were read shares its state with another.`;
}

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

function workspaceLinks(workspaces: readonly string[], part: PagePart): Html {
  const nameOf = (name: string) => html`<code>${changeLink(workspaceAddress(name), part, name)}</code>`;
  return nameList(workspaces, { noun: 'workspace', nameOf });
}

function changeCell(change: SharingRow['change'], { kind }: PagePart): Html | false {
  if (change === null) return false;
  const [tone, sign] = change === 'gained' ? ['gain', '+'] : ['loss', '−'];
  return html`<td><span class="chip ${tone}"><b aria-hidden="true">${sign}</b>${wordsOf(kind)[change]}</span></td>`;
}

function wordsOf(kind: PagePart['kind']) {
  return kind === 'drift'
    ? { gained: 'declared, not live', lost: 'live, not declared' }
    : { gained: 'gained', lost: 'lost' };
}
