import { projectOfMembers, type StateAccessChange } from '../../model/plan.ts';
import { escapeControls } from '../escape-controls.ts';
import type { Presence, SharingGraph, SharingNode } from '../sharing-view.ts';
import { countedFigure } from '../words.ts';
import { chipList } from './elements.ts';
import { type Html, html } from './escape.ts';
import type { PageEntry } from './page-entry.ts';

/** The maximum of names in a cell and of rows in a table; the rest is counted. */
const mostNames = 60;
const mostRows = 3000;

interface Row {
  readonly node: SharingNode;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly kept: readonly string[];
}

/** State sharing as tables: the changes, and a collapsed table of what is unchanged. */
export function sharingTables(graph: SharingGraph, { prefix, view }: PageEntry): Html | undefined {
  const rows = rowsOf(graph, view.plan?.stateAccess ?? []);
  const changed = rows.filter(isChanged);
  const same = rows.filter((row) => !isChanged(row));
  if (rows.length === 0) return undefined;
  return html`${changed.length > 0 && html`<h4 id="${prefix}-sharing-changes">State access gained and lost</h4>${table(changed, `${prefix}-sharing-changes`)}`}${
    same.length > 0 &&
    html`<details class="fold"><summary id="${prefix}-sharing-same">Unchanged sharing: ${countedFigure(same.length, 'workspace')}</summary>${table(same, `${prefix}-sharing-same`)}</details>`
  }`;
}

function isChanged({ node: { global, inProject }, added, removed }: Row): boolean {
  const isSwitched = [global, inProject].some((one) => one === 'added' || one === 'removed');
  return isSwitched || added.length + removed.length > 0;
}

function rowsOf(graph: SharingGraph, stateAccess: readonly StateAccessChange[]): readonly Row[] {
  const byOwner = readersByOwner(graph);
  const changes = new Map(stateAccess.map((change) => [change.workspace, change]));
  return graph.nodes.flatMap((node): Row[] => {
    const readers = byOwner.get(node.name);
    if (readers === undefined && node.global === null && node.inProject === null) return [];
    const row = { node, ...(readers ?? { added: [], removed: [], kept: [] }) };
    if (node.inProject === null) return [row];
    // Workspaces that come and go with the project are not drawn as edges.
    const { gains = [], loses = [] } = changes.get(escapeControls(node.name)) ?? {};
    return [{ ...row, added: namesIn(gains, row.kept), removed: namesIn(loses, row.kept) }];
  });
}

/** Single workspaces: all of a project have a separate chip. */
function namesIn(readers: readonly string[], kept: readonly string[]): readonly string[] {
  return readers.filter(
    (reader) => projectOfMembers(reader) === undefined && reader !== '*' && !kept.includes(reader),
  );
}

function readersByOwner({ edges }: SharingGraph): ReadonlyMap<string, Record<Presence, string[]>> {
  const byOwner = new Map<string, Record<Presence, string[]>>();
  for (const { owner, reader, presence } of edges) {
    const readers = byOwner.get(owner) ?? { added: [], removed: [], kept: [] };
    readers[presence].push(reader);
    byOwner.set(owner, readers);
  }
  return byOwner;
}

function table(rows: readonly Row[], label: string): Html {
  const hasChanges = rows.some(isChanged);
  const rest = rows.length - mostRows;
  return html`<div class="scroll" role="region" tabindex="0" aria-labelledby="${label}"><table class="sharing-table">
<thead><tr><th scope="col">State of</th><th scope="col">Project</th>${hasChanges && html`<th scope="col">Gained by</th><th scope="col">Lost by</th>`}<th scope="col">${hasChanges ? 'Unchanged' : 'Read by'}</th></tr></thead>
<tbody>${rows.slice(0, mostRows).map((row) => tableRow(row, hasChanges))}</tbody></table></div>${rest > 0 && html`<p class="aside">and ${countedFigure(rest, 'more workspace')}</p>`}`;
}

function tableRow({ node, added, removed, kept }: Row, hasChanges: boolean): Html {
  const { name, project, global, inProject } = node;
  const every = (presence: Presence) =>
    (global === presence || inProject === presence) &&
    html`${global === presence && html`<li class="chip warning">every workspace</li>`}${inProject === presence && html`<li class="chip">every workspace of the project</li>`}`;
  const changes =
    hasChanges &&
    html`<td>${names(added, 'gain', every('added'))}</td><td>${names(removed, 'loss', every('removed'))}</td>`;
  return html`<tr><th scope="row"><code>${name}</code></th><td>${project ?? ''}</td>${changes}<td>${names(kept, 'same', every('kept'))}</td></tr>
`;
}

const signs = { gain: '+', loss: '−', same: '' } as const;

function names(
  list: readonly string[],
  tone: 'gain' | 'loss' | 'same',
  every: Html | false,
): Html | undefined {
  if (list.length === 0 && every === false) return undefined;
  const sign = signs[tone] !== '' && html`<b aria-hidden="true">${signs[tone]}</b>`;
  return chipList(list, mostNames, (name) => html`<li class="chip ${tone}">${sign}${name}</li>`, every);
}
