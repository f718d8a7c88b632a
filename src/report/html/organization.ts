import type { Plan } from '../../model/plan.ts';
import { groupBy } from '../../model/value.ts';
import { organizationKey } from '../../service/address.ts';
import { planOf } from '../figures.ts';
import type { ReportEntry } from '../report.ts';
import { countedFigure, figure } from '../words.ts';
import { access } from './access.ts';
import { type PagePart, section, workspaceLinks } from './elements.ts';
import { type Html, html } from './escape.ts';
import {
  type SharingRow,
  type SharingView,
  type SharingWords,
  sharingPicture,
  sharingView,
} from './sharing.ts';

interface OrganizationPart extends PagePart, Pick<Plan, 'organization' | 'address'> {
  readonly content: readonly Html[];
}

export function organizationParts(
  entries: readonly ReportEntry[],
  parts: readonly PagePart[],
): readonly OrganizationPart[] {
  const planned = entries.flatMap((entry, index) => {
    const [plan, part] = [planOf(entry), parts[index]];
    return plan && part ? { plan, part, source: entry.source } : [];
  });
  const runs = groupBy(planned, ({ plan, part, source }) =>
    JSON.stringify([part.kind, organizationKey(plan), source]),
  );
  return [...runs.values()].flatMap((members, index) => {
    const [{ plan, part: first }] = members as [(typeof members)[number]];
    const overviews = members.map((member) => member.plan.overview);
    const read = {
      workspaces: overviews.flatMap(({ workspaces }) => workspaces),
      grants: overviews.flatMap(({ grants }) => grants),
      projects: overviews.flatMap(({ projects, grants }) => projects ?? grants.map(({ project }) => project)),
      stateAccess: members.flatMap((member) => member.plan.effects.stateAccess),
    };
    const changeIds = new Map(members.flatMap(({ part }) => [...part.changeIds]));
    const part: PagePart = { kind: first.kind, prefix: `o${index + 1}`, changeIds };
    const content = [sharing(sharingView(read), part), access(read, part)].filter((one) => one !== undefined);
    const { organization, address } = plan;
    return content.length === 0 ? [] : { ...part, organization, address, content };
  });
}

export function organizationElement(
  { prefix, organization, address, content }: OrganizationPart,
  isOpen: boolean,
): Html {
  return html`<article class="entry organization" aria-labelledby="${prefix}-title"><details${isOpen && html` open`}>
<summary><h2 id="${prefix}-title">${organization}</h2> <span class="aside">State sharing and team access</span> <span class="address">${address}</span></summary>
${content}</details></article>
`;
}

function sharing(read: SharingView, part: PagePart): Html | undefined {
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

function changeCell(change: SharingRow['change'], { kind }: PagePart): Html | false {
  if (change === null) return false;
  const [tone, sign] = change === 'gained' ? ['gain', '+'] : ['loss', '−'];
  return html`<td><span class="chip ${tone}"><b aria-hidden="true">${sign}</b>${wordsOf(kind)[change]}</span></td>`;
}

function wordsOf(kind: PagePart['kind']): SharingWords {
  return kind === 'drift'
    ? { gained: 'declared, not live', lost: 'live, not declared' }
    : { gained: 'gained', lost: 'lost' };
}
