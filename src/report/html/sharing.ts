import {
  isEveryWorkspace,
  type Overview,
  projectOfMembers,
  type StateAccessChange,
  type WorkspaceOverview,
} from '../../model/plan.ts';
import { workspaceAddress } from '../../model/state.ts';
import { escapeTexts } from '../escape-controls.ts';
import { namesText } from '../values.ts';
import { countedFigure, figure } from '../words.ts';
import { changeLink, type PagePart } from './elements.ts';
import { type Html, html } from './escape.ts';
import { type Reader, type SharingRow, sharingPicture } from './sharing-picture.ts';

/*
 * Who gains, loses or keeps access to which state, as rows: a table, and a picture of those that change.
 */

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
    const isKept = (reader: string) =>
      !isEveryWorkspace(reader) || (had.includes(reader) && has.includes(reader));
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

export function sharing(input: SharingInput, part: PagePart): Html | undefined {
  if (input.workspaces.length === 0) return undefined;
  const { prefix, kind } = part;
  const { changed, same, unread } = sharingView(input);
  const count = (side: 'gained' | 'lost') =>
    figure(changed.reduce((sum, { change, readers }) => sum + (change === side ? readers.length : 0), 0));
  const heading = html`State sharing${changed.length > 0 && html` <span class="count">+${count('gained')} −${count('lost')}</span>`}`;
  const changes =
    changed.length > 0
      ? html`${kind === 'apply' && html`<p class="lead">This is the plan; the list of changes shows what was applied.</p>`}${sharingPicture(changed, wordsOf(kind))}${table(changed, `${prefix}-sharing-title`, part)}`
      : html`<p class="empty">No known differences in who can read which state.</p>`;
  const fold =
    same.length > 0 &&
    html`<details class="fold"><summary id="${prefix}-sharing-same">Unchanged sharing: ${countedFigure(same.length, 'workspace')}</summary>${table(same, `${prefix}-sharing-same`, part)}</details>`;
  const unknown =
    unread > 0 &&
    html`<p class="aside">The readers of ${countedFigure(unread, 'workspace')} are unknown: their lists were not read.</p>`;
  const id = `${prefix}-sharing`;
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">${heading}</h3>
${changes}${fold}${unknown}</section>
`;
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
  const [tone, sign] = change === 'gained' ? ['gain', '+'] : ['loss', '−'];
  return html`<td><span class="chip ${tone}"><b aria-hidden="true">${sign}</b>${wordsOf(kind)[change]}</span></td>`;
}

function wordsOf(kind: PagePart['kind']) {
  return kind === 'drift'
    ? { gained: 'declared, not live', lost: 'live, not declared' }
    : { gained: 'gained', lost: 'lost' };
}
