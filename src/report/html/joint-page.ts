import { byAttention, type EntryView, type RootStatus } from '../entry-view.ts';
import type { OrganizationView } from '../joint-overview.ts';
import type { ReportView } from '../report-view.ts';
import { figure } from '../words.ts';
import { access } from './access.ts';
import { attention } from './attention.ts';
import { type Html, html } from './escape.ts';
import { figureChips } from './figures.ts';
import { filterForm, numberProjects, type ProjectNumbers } from './filter-form.ts';
import type { PageEntry } from './page-entry.ts';
import { pageSections } from './page-sections.ts';
import { sharing } from './sharing.ts';

/**
 * The page of several root files: what needs attention in all of them, an overview, one form that filters all changes, a
 * fold for each root file, and for each organization one picture of what all of its root files have read.
 */
export function jointPage(
  { titles, organizations, sections }: ReportView,
  parts: readonly PageEntry[],
): Html {
  const sorted = byAttention(parts.map((part) => ({ part, status: part.view.status }))).map(
    ({ part }) => part,
  );
  const projects = numberProjects(parts);
  const risks = sections.flatMap(({ name, items }) => (name === 'attention' ? items : []));
  const pictures = organizations.map((one, index) => organizationPart(one, index, parts));
  const shown = pictures.filter(({ content }) => content.length > 0);
  const changed = parts.some(({ view }) => (view.plan?.changes.length ?? 0) > 0);
  return html`${attention(risks, parts, 'attention')}${overview(titles, sorted, shown)}
${changed && html`<div class="all-filters">${filterForm(parts, 'roots', projects)}</div>`}
<div id="roots">${sorted.map((part) => rootSection(part, projects))}</div>
${shown.map(({ prefix, name, address, content }) => organizationSection({ prefix, name, address, content, isOpen: shown.length <= mostOpen }))}`;
}

/** With more organizations, their pictures are folded. */
const mostOpen = 3;

const statusSigns: Readonly<Record<RootStatus, string>> = {
  failed: '✗',
  errors: '✗',
  risks: '!',
  differences: '~',
  same: '✓',
};

function statusBadge({ status, statusText }: EntryView): Html {
  return html`<span class="badge root-${status}"><span aria-hidden="true">${statusSigns[status]}</span> ${statusText}</span>`;
}

interface OrganizationPart {
  readonly prefix: string;
  readonly name: string;
  readonly address: string;
  readonly content: readonly Html[];
}

/** Leads to each root file and each organization of a long page. */
function overview(
  titles: ReportView['titles'],
  parts: readonly PageEntry[],
  organizations: readonly OrganizationPart[],
): Html {
  const links = organizations.map(
    ({ prefix, name, address }) =>
      html`<li><a href="#${prefix}-title">${name}</a>${
        organizations.some((other) => other.name === name && other.address !== address) &&
        html` <span class="address">${address}</span>`
      }</li>`,
  );
  return html`<section class="contents" aria-labelledby="contents"><h2 id="contents">${titles} <span class="count">${figure(parts.length)}</span></h2>
<div class="scroll stack"><table><thead><tr><th scope="col">Status</th><th scope="col">${titles.slice(0, -1)}</th><th scope="col">Result</th></tr></thead><tbody>
${parts.map(overviewRow)}</tbody></table></div>
${links.length > 0 && html`<nav aria-label="State sharing and team access"><ul><li>State sharing and team access:</li>${links}</ul></nav>`}</section>
`;
}

function overviewRow(part: PageEntry): Html {
  const { prefix, view } = part;
  const { title, organization, status, summary, diagnostics: found } = view;
  const whose =
    organization !== undefined &&
    organization !== title &&
    html` <span class="address">${organization}</span>`;
  const reason = found.find(({ severity }) => severity === 'error')?.message;
  const figures = figureChips(part);
  return html`<tr class="root-${status}"><td>${statusBadge(view)}</td><th scope="row"><a href="#${prefix}-title">${title}</a>${whose}</th><td>${
    figures.length > 0 && html`<ul class="chips">${figures}</ul>`
  }${reason !== undefined && html`<p class="reason">${reason}</p>`}${figures.length === 0 && reason === undefined && summary}</td></tr>
`;
}

/** One root file, folded if it has no differences. */
function rootSection(part: PageEntry, projects: ProjectNumbers): Html {
  const { prefix, view } = part;
  const { title, organization, status, plan, about, summary } = view;
  const names = [organization === title ? undefined : organization, plan?.address].filter(
    (name) => name !== undefined,
  );
  const isOpen = status !== 'same';
  return html`<article class="entry root" aria-labelledby="${prefix}-title"><details${isOpen && html` open`}>
<summary><h2 id="${prefix}-title">${title}</h2> ${statusBadge(view)}${names.map((name) => html` <span class="address">${name}</span>`)}</summary>
${about !== undefined && html`<p class="about">${about}</p>`}
<p class="lead">${summary}</p>
${pageSections(part, projects).map(({ content }) => content)}</details></article>
`;
}

/** What all root files of an organization have read, as one part of the page. */
function organizationPart(
  { organization: name, address, entries, overview: read }: OrganizationView,
  index: number,
  parts: readonly PageEntry[],
): OrganizationPart {
  const members = entries.flatMap((position) => parts[position] ?? []);
  const prefix = `o${index + 1}`;
  const changeIds = new Map(members.flatMap((member) => [...member.changeIds]));
  const content = members
    .slice(0, 1)
    .map((first): PageEntry => ({ ...first, prefix, overview: read, changeIds }))
    .flatMap((joined) => [sharing(joined) ?? [], access(joined) ?? []].flat());
  return { prefix, name, address, content };
}

function organizationSection({
  prefix,
  name,
  address,
  content,
  isOpen,
}: OrganizationPart & { readonly isOpen: boolean }): Html {
  return html`<article class="entry organization" aria-labelledby="${prefix}-title"><details${isOpen && html` open`}>
<summary><h2 id="${prefix}-title">${name}</h2> <span class="aside">State sharing and team access</span> <span class="address">${address}</span></summary>
${content}</details></article>
`;
}
