import type { SharingRow, SharingView } from '../sharing-view.ts';
import { countedFigure, figure } from '../words.ts';
import { section, workspaceLinks } from './elements.ts';
import { type Html, html } from './escape.ts';
import type { PageEntry } from './page-entry.ts';
import { sharingPicture } from './sharing-picture.ts';

/** Which workspaces gain and lose access to the state of others, as a picture and a table; a fold has the others. */
export function sharing(entry: PageEntry): Html | undefined {
  const { prefix, wording, view } = entry;
  const read = view.plan?.overview?.sharing;
  if (read === undefined || read.workspaces === 0) return undefined;
  const { changed, same, unread } = read;
  const count = (side: 'gained' | 'lost') =>
    figure(changed.reduce((sum, { change, readers }) => sum + (change === side ? readers.length : 0), 0));
  const heading = html`State sharing${changed.length > 0 && html` <span class="count">+${count('gained')} −${count('lost')}</span>`}`;
  const changes =
    changed.length > 0
      ? html`${wording.sharingLead !== '' && html`<p class="lead">${wording.sharingLead}</p>`}${sharingPicture(changed, entry)}${table(changed, `${prefix}-sharing-title`, entry)}`
      : html`<p class="empty">${same.length > 0 ? 'No differences in who can read which state.' : nothingShared(read)}</p>`;
  const fold =
    same.length > 0 &&
    html`<details class="fold"><summary id="${prefix}-sharing-same">Unchanged sharing: ${countedFigure(same.length, 'workspace')}</summary>${table(same, `${prefix}-sharing-same`, entry)}</details>`;
  const unknown =
    unread > 0 &&
    html`<p class="aside">The readers of ${countedFigure(unread, 'workspace')} are unknown: their lists were not read.</p>`;
  return section(entry, 'sharing', heading, html`${changes}${fold}${unknown}`);
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

function table(rows: readonly SharingRow[], label: string, entry: PageEntry): Html {
  const hasChanges = rows.some(({ change }) => change !== null);
  const rest = rows.length - mostRows;
  return html`<div class="scroll stack" role="region" tabindex="0" aria-labelledby="${label}"><table class="sharing-table">
<thead><tr>${hasChanges && html`<th scope="col">Change</th>`}<th scope="col">State of</th><th scope="col">Read by</th><th scope="col">By</th></tr></thead>
<tbody>${rows.slice(0, mostRows).map((row) => tableRow(row, entry))}</tbody></table></div>${rest > 0 && html`<p class="aside">and ${countedFigure(rest, 'more row')}</p>`}`;
}

function tableRow({ owner, project, readers, note, by, change }: SharingRow, entry: PageEntry): Html {
  const labels = readers.map(({ label }) => label);
  return html`<tr>${changeCell(change, entry)}<th scope="row">${workspaceLinks([owner], entry)}${project !== null && html` <span class="aside">${project}</span>`}</th><td>${workspaceLinks(labels, entry)}${note !== undefined && html` <span class="aside">(${note})</span>`}</td><td>${by}</td></tr>
`;
}

function changeCell(change: SharingRow['change'], { wording }: PageEntry): Html | false {
  if (change === null) return false;
  const [tone, sign] = change === 'gained' ? ['gain', '+'] : ['loss', '−'];
  return html`<td><span class="chip ${tone}"><b aria-hidden="true">${sign}</b>${wording[change]}</span></td>`;
}
