import type { Ending } from '../../model/apply-result.ts';
import type { Call } from '../../model/plan.ts';
import { groupBy } from '../../model/value.ts';
import { escapeControls } from '../escape-controls.ts';
import { countOf, type Item, restText } from '../items.ts';
import type { Section, SectionName } from '../sections.ts';
import { sourceLines } from '../text/diagnostics-text.ts';
import { type Line, placesText } from '../values.ts';
import { countedFigure, figure, firstOf, placeText, shortenedLabel } from '../words.ts';
import { changeLink, type PagePart } from './elements.ts';
import { type Html, html } from './escape.ts';

/*
 * The sections of a report as lists: what needs attention by kind, diagnostics with their lines, and everything else as items
 * with the lines below them, a fold of the members of a group, and a fold of the calls of a change.
 */

/** Risks of one kind that are visible at once; the others are in a fold. */
const mostVisible = 5;
/** The maximum of items in a section without changes. */
const mostListed = 500;

/** What needs attention in one or several root files, the most severe kind first. */
export function attention(sections: readonly Section[], parts: readonly PagePart[]): Html | undefined {
  const items = sections.flatMap((one) => (one.name === 'attention' ? one.items : []));
  if (items.length === 0) return undefined;
  const kinds = [...groupBy(items, ({ label }) => label).values()];
  return html`<section class="attention" id="attention" aria-labelledby="attention-title">
<h2 id="attention-title">Needs attention <span class="count">${figure(items.length)}</span></h2>
<ul class="risk-kinds">${kinds.map((same) => riskKind(same, parts))}</ul>
</section>
`;
}

function riskKind(items: readonly Item[], parts: readonly PagePart[]): Html {
  const [first] = items;
  const level = first?.risk?.level ?? 'medium';
  const { shown, rest } = firstOf(items, mostVisible);
  const omitted = rest.length - mostListed;
  const list = (some: readonly Item[]) =>
    html`<ul class="risks">${some.map((item) => riskElement(item, parts))}</ul>`;
  const fold =
    rest.length > 0 &&
    html`<details class="fold"><summary>${restText(rest)}</summary>${list(rest.slice(0, mostListed))}${omitted > 0 && html`<p class="aside">and ${figure(omitted)} more in the list of changes</p>`}</details>`;
  return html`<li class="risk-kind ${level}"><p class="risk-head"><span class="risk-sign" aria-hidden="true">${level === 'high' ? '!' : '~'}</span><span class="sr">${level} risk: </span><b>${first?.label ?? ''}</b>${items.length > 1 && html` <span class="count">${figure(items.length)}</span>`}</p>
${list(shown)}${fold}</li>
`;
}

/** A risk with a link to its change, else to its root file. */
function riskElement({ head, address = head, detail, place, risk }: Item, parts: readonly PagePart[]): Html {
  const { changeIds, prefix, lineOf } = parts[risk?.entry ?? 0] ?? {};
  const id = changeIds?.get(address) ?? `${prefix}-title`;
  return html`<li class="risk"><code><a href="#${id}">${head}</a></code>${detail !== undefined && html` <span class="risk-detail">${detail}</span>`}${risk?.root !== undefined && html` <code class="root-name">${risk.root}</code>`}${placeElement(place, lineOf)}</li>`;
}

function placeElement(place: Item['place'], lineOf: PagePart['lineOf'], text?: string): Html | undefined {
  if (place === undefined) return undefined;
  const url = lineOf?.(place);
  const shown = text ?? placeText(place);
  return html` <code class="place">${url === undefined ? shown : html`<a href="${url}">${shown}</a>`}</code>`;
}

/** A root file on the page. */
export interface RootPart extends PagePart {
  readonly sections: readonly Section[];
  /** The numbers of the projects of a change. */
  readonly projectsOf: (address: string) => string;
}

/** A section other than what needs attention. What is only named, and what was already different, is folded. */
export function sectionList(
  { name, title, level, items, notes = [] }: Section,
  index: number,
  part: RootPart,
): Html {
  const isFiltered = isOfChanges(name);
  const rest = isFiltered ? 0 : items.length - mostListed;
  const shown = rest > 0 ? items.slice(0, mostListed) : items;
  const heading = html`${title} <span class="count">${figure(countOf(items))}</span>`;
  const list = html`<ol class="items">${shown.map((item) => itemElement(item, part, isFiltered))}</ol>${rest > 0 && html`<p class="aside">and ${figure(rest)} more</p>`}`;
  const content = html`${notes.map((note) => html`<p class="lead">${note}</p>`)}${items.length > 0 && list}`;
  const isNamed =
    name === 'dropped' || name === 'permissions' || (name === 'undeclared' && items.length > 20);
  const id = sectionId(part, index);
  return isNamed || (name === 'part' && level === 'low')
    ? html`<details class="part" id="${id}"><summary>${heading}</summary>${content}</details>
`
    : html`<section class="part" id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">${heading}</h3>
${content}</section>
`;
}

export function sectionId({ prefix }: PagePart, index: number): string {
  return `${prefix}-s${index + 1}`;
}

/** Whether filters apply to the items of a section. */
export function isOfChanges(name: SectionName): boolean {
  return name === 'changes' || name === 'part' || name === 'failed';
}

const outcomeSigns: Readonly<Record<Ending, string>> = {
  done: '✓',
  failed: '✗',
  unknown: '?',
  partial: '✗',
  skipped: '⊘',
  held: '‖',
};

function itemElement(item: Item, part: RootPart, isFiltered: boolean): Html {
  if (item.diagnostic) return diagnosticElement(item, part);
  const { sign, head, detail, place, rest, outcome, change, members, rule } = item;
  const tone = change?.action ?? (rule === 'undeclared' ? 'warning' : '');
  const single = members ? undefined : change;
  const badge =
    outcome !== undefined &&
    html` <span class="badge ${outcome}"><span aria-hidden="true">${outcomeSigns[outcome]}</span> ${outcome}</span>`;
  const fold =
    members &&
    html`<details class="members"><summary>Show ${countedFigure(members.length, 'change')}</summary><ol class="items">${members.map((member) => itemElement(member, part, isFiltered))}</ol></details>`;
  return html`<li class="item ${tone} ${outcome ?? ''} ${members ? 'group' : ''}"${isFiltered && single && changeData(item, part)}>
<div class="item-head">${sign !== '' && html`<span class="sign ${tone}" aria-hidden="true">${sign === '-' ? '−' : sign}</span>`}<h4>${single ? addressText(head) : head}</h4>${badge}${detail !== undefined && html` <span class="aside">${detail}</span>`}${single && html`<span class="sr">${single.action}</span>`}${!members && placeElement(place, part.lineOf)}</div>
${linesBelow(rest, part)}${fold}${single && callsOf(item, part)}</li>
`;
}

/** What the script filters by. */
function changeData({ head, outcome, change, isContinued }: Item, { changeIds, projectsOf }: RootPart): Html {
  const id = changeIds.get(head) ?? '';
  return html` ${isContinued ? 'data-also' : 'id'}="${id}" data-action="${change?.action ?? ''}" data-kind="${change?.kind ?? ''}"${outcome !== undefined && html` data-result="${outcome}"`} data-projects="${projectsOf(head)}"`;
}

/** The kind is dimmed. */
function addressText(address: string): Html {
  const dot = address.indexOf('.') + 1;
  return html`<code><span class="dim">${address.slice(0, dot)}</span>${address.slice(dot)}</code>`;
}

function linesBelow(lines: readonly Line[], part: PagePart): Html | undefined {
  if (lines.length === 0) return undefined;
  return html`<ul class="lines">${lines.map((line) => lineElement(line, part))}</ul>`;
}

function lineElement(line: Line, { lineOf }: PagePart): Html {
  if (typeof line === 'string') return html`<li>${line}</li>`;
  const { path, pieces, sizes, places = [] } = line;
  const values = pieces.map((piece) => {
    if (typeof piece === 'string') return html`${piece}`;
    return piece.tone === 'gain' ? html`<ins>${piece.text}</ins>` : html`<del>${piece.text}</del>`;
  });
  return html`<li class="field"><span class="path">${path}</span> <span class="value">${values}${sizes}${placesText(places).map((place) => placeElement(places[0], lineOf, place))}</span></li>`;
}

/** Bodies of calls are shown up to this many changes, and up to this many characters each. */
const mostWithBodies = 300;
const longestBody = 600;

function callsOf({ change, isContinued }: Item, part: RootPart): Html | undefined {
  if (change === undefined || change.calls.length === 0 || isContinued || part.kind === 'drift')
    return undefined;
  const { calls, dependsOn } = change;
  const done = 'callsDone' in change ? change.callsDone : undefined;
  const after = dependsOn.map((address) => html`<code>${changeLink(escapeControls(address), part)}</code> `);
  const order = dependsOn.length > 0 && `, after ${countedFigure(dependsOn.length, 'other change')}`;
  const list = calls.map((call, index) =>
    callElement(call, done === undefined ? undefined : index < done, part),
  );
  return html`<details class="calls"><summary>${countedFigure(calls.length, 'call')}${order}</summary>${dependsOn.length > 0 && html`<p>After: ${after}</p>`}<ol>${list}</ol></details>`;
}

function callElement(
  { method, path, body }: Call,
  isMade: boolean | undefined,
  { changeIds }: RootPart,
): Html {
  const state =
    isMade !== undefined &&
    html` <span class="aside">${isMade ? '✓ completed' : 'not sent or failed'}</span>`;
  const isShort = changeIds.size <= mostWithBodies && body !== undefined;
  return html`<li><code>${method} ${path}</code>${state}${isShort && html`<pre>${shortenedLabel(JSON.stringify(body), longestBody)}</pre>`}</li>`;
}

const marks = { error: '✗', warning: '!', note: 'i' } as const;

function diagnosticElement(
  { title, head, place, address, rest, level, diagnostic }: Item,
  part: RootPart,
): Html {
  const source = diagnostic ? sourceLines(diagnostic) : [];
  return html`<li class="item diagnostic">
<div class="item-head"><span class="badge ${level}"><span aria-hidden="true">${marks[level]}</span> ${level}</span> <code class="code">${title}</code>${address !== undefined && html` <code>${changeLink(address, part)}</code>`}${placeElement(place, part.lineOf)}</div>
<p class="message">${head}</p>${
    source.length > 0 &&
    html`<pre class="source">${source.map(
      (line) => html`${line}
`,
    )}</pre>`
  }${linesBelow(rest, part)}</li>
`;
}
