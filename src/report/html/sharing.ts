import { projectOfMembers, type StateAccessChange } from '../../model/plan.ts';
import { escapeControls } from '../escape-controls.ts';
import {
  drawnPart,
  type Presence,
  type SharingGraph,
  type SharingNode,
  type SharingView,
} from '../sharing-view.ts';
import { countedFigure, figure } from '../words.ts';
import { chipList, section } from './elements.ts';
import { type Html, html } from './escape.ts';
import type { PageEntry } from './page-entry.ts';
import { sharingPicture } from './sharing-picture.ts';

/** Which workspaces read the state of others: figures, a diagram, and tables. */
export function sharing(entry: PageEntry): Html | undefined {
  const graph = entry.view.plan?.overview?.sharing;
  if (graph === undefined || graph.workspaces === 0) return undefined;
  const drawn = drawnPart(graph);
  return section(
    entry,
    'sharing',
    html`State sharing${sharingCounts(graph)}`,
    html`${
      graph.nodes.length === 0
        ? html`<p class="empty">${nothingShared(graph)}</p>`
        : html`<p class="lead">${leadSentence(graph, entry)}</p>${globalWarning(graph, entry)}${figureOf(drawn, entry)}`
    }
<p class="aside">${leftOut(graph, drawn)}</p>
${sharingTables(graph, entry)}`,
  );
}

/** Only what was read is known to share nothing. */
function nothingShared({ workspaces, unread }: SharingView): string {
  if (unread === 0) return 'No workspace shares its state with another.';
  if (unread === workspaces) return 'No list of readers was read, so state sharing is unknown.';
  const read = workspaces - unread;
  if (read === 1) return 'The one workspace whose readers were read shares its state with no other.';
  return `None of the ${figure(read)} workspaces whose readers were read shares its state with another.`;
}

function sharingCounts(graph: SharingGraph): Html | false {
  const { added, removed } = countsOf(graph);
  return added + removed > 0 && html` <span class="count">+${figure(added)} −${figure(removed)}</span>`;
}

function countsOf({ edges, nodes }: SharingGraph): { readonly added: number; readonly removed: number } {
  const count = (side: 'added' | 'removed') =>
    edges.filter(({ presence }) => presence === side).length +
    nodes.filter(({ global, inProject }) => global === side || inProject === side).length;
  return { added: count('added'), removed: count('removed') };
}

function leadSentence(graph: SharingGraph, { wording }: PageEntry): Html {
  const owners = new Set(graph.edges.map(({ owner }) => owner));
  const arrow = 'An arrow points from a workspace to a reader of its state.';
  return html`${countedFigure(owners.size, 'workspace')} ${owners.size === 1 ? 'shares its' : 'share their'} state with others by name. ${arrow}${wording.sharingLead}`;
}

function globalWarning({ nodes }: SharingGraph, { wording }: PageEntry): Html | undefined {
  const shared = nodes.filter(({ global }) => global !== null);
  if (shared.length === 0) return undefined;
  const now = shared.filter(({ global }) => global !== 'removed');
  const ends = shared.filter(({ global }) => global === 'removed');
  return html`<div class="callout warning">${now.length > 0 && html`<p><b><span aria-hidden="true">∗</span> Shared with all:</b> every workspace of the organization can read the state of ${workspaceList(now, wording.added)}.</p>`}${ends.length > 0 && html`<p><b>No longer shared with all</b> (${wording.removed}): ${workspaceList(ends, undefined)}.</p>`}</div>`;
}

function workspaceList(nodes: readonly SharingNode[], added: string | undefined): Html {
  const most = 30;
  const shown = nodes
    .slice(0, most)
    .map(
      ({ name, global }, index) =>
        html`${index > 0 && ', '}<code>${name}</code>${global === 'added' && ` (${added})`}`,
    );
  return html`${shown}${nodes.length > most && ` and ${figure(nodes.length - most)} more`}`;
}

function figureOf(drawn: SharingGraph, entry: PageEntry): Html {
  const { prefix } = entry;
  return html`<figure class="sharing" data-picture="${prefix}-picture">
<div class="tools" hidden><label class="search"><span class="label">Find a workspace</span><input type="search" autocomplete="off" spellcheck="false" aria-controls="${prefix}-picture"></label><label class="choice"><input type="checkbox" data-tool="changes"><span>changes only</span></label><span class="zoom" role="group" aria-label="Zoom"><button type="button" data-tool="out" aria-label="Zoom out">−</button><button type="button" data-tool="in" aria-label="Zoom in">+</button><button type="button" data-tool="fit">Fit</button></span></div>
<div class="stage"><div class="frame">${sharingPicture(drawn, entry)}</div><aside class="panel" aria-live="polite" aria-label="Selected workspace"></aside></div>
<figcaption>${legend(drawn, entry)}<p class="keys" hidden>Drag to pan; Ctrl and wheel, or two fingers, zoom. Keyboard: arrow keys move between workspaces, Enter selects, Escape clears the selection, + and − zoom, 0 fits.</p></figcaption>
</figure>`;
}

function legend({ nodes, edges }: SharingGraph, { wording }: PageEntry): Html {
  const has = (presence: string) => edges.some((edge) => edge.presence === presence);
  const entries = [
    has('kept') && legendEntry('edge kept', 'can read, unchanged'),
    has('added') && legendEntry('edge added', `can read, ${wording.added}`),
    has('removed') && legendEntry('edge removed', `can read, ${wording.removed}`),
    nodes.some(({ global }) => global !== null) && legendEntry('node global', 'shared with all'),
    nodes.some(({ inProject }) => inProject !== null) &&
      legendEntry('node', '∗ project: shared with its project'),
    nodes.some(({ unread }) => unread) &&
      legendEntry('node unread', 'readers unknown: the list was not read'),
  ];
  return html`<ul class="legend">${entries}</ul>`;
}

function legendEntry(classes: string, text: string): Html {
  const [shape = '', ...rest] = classes.split(' ');
  const drawing =
    shape === 'edge'
      ? html`<path class="${classes}" d="M2 9H38"/><path class="head ${rest.join(' ')}" d="M36 5L44 9L36 13z"/>${rest[0] !== 'kept' && html`<g class="mark ${rest.join(' ')}" transform="translate(19 9)"><circle r="6.5"/><path d="${rest[0] === 'added' ? 'M-3.5 0H3.5M0 -3.5V3.5' : 'M-3.5 0H3.5'}"/></g>`}`
      : html`<g class="${classes}"><rect x="6" y="2" width="32" height="14" rx="4"/></g>`;
  return html`<li><svg viewBox="0 0 46 18" width="46" height="18" aria-hidden="true">${drawing}</svg> ${text}</li>`;
}

/** What the diagram leaves out, and what is unknown. */
function leftOut(graph: SharingView, drawn: SharingGraph): string {
  const { idle, unread } = graph;
  const sentences = [
    ...(graph.nodes.length > 0 && idle > 0
      ? [`${countedFigure(idle, 'workspace')} without state sharing ${idle === 1 ? 'is' : 'are'} not drawn.`]
      : []),
    ...(drawn.nodes.length < graph.nodes.length
      ? [
          `${countedFigure(graph.nodes.length - drawn.nodes.length, 'more workspace')} are only in the tables: the diagram would be illegible.`,
        ]
      : []),
    ...(drawn.edges.length < graph.edges.length
      ? [
          `${countedFigure(graph.edges.length - drawn.edges.length, 'arrow')} of ${figure(graph.edges.length)} not drawn.`,
        ]
      : []),
    ...(unread > 0
      ? [`The readers of ${countedFigure(unread, 'workspace')} are unknown: their lists were not read.`]
      : []),
  ];
  return sentences.join(' ');
}

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
function sharingTables(graph: SharingGraph, { prefix, view }: PageEntry): Html | undefined {
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

const toneSigns = { gain: '+', loss: '−', same: '' } as const;

function names(
  list: readonly string[],
  tone: 'gain' | 'loss' | 'same',
  every: Html | false,
): Html | undefined {
  if (list.length === 0 && every === false) return undefined;
  const sign = toneSigns[tone] !== '' && html`<b aria-hidden="true">${toneSigns[tone]}</b>`;
  return chipList(list, mostNames, (name) => html`<li class="chip ${tone}">${sign}${name}</li>`, every);
}
