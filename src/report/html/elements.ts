import { createHash } from 'node:crypto';
import { type Ending, plannedDone } from '../../model/apply-result.ts';
import type { SourceLocation } from '../../model/diagnostic.ts';
import { groupBy } from '../../model/value.ts';
import { countOf, type Item, limited } from '../items.ts';
import type { ReportKind, ReportOrigin } from '../report.ts';
import type { ReportView } from '../report-view.ts';
import type { Section, SectionName } from '../sections.ts';
import { sourceLines } from '../text/diagnostics-text.ts';
import type { Line } from '../values.ts';
import { countedFigure, figure, placeText } from '../words.ts';
import { type Html, html, htmlText, trusted } from './escape.ts';
import { script, style } from './page-assets.js';

export interface PagePart {
  readonly kind: ReportKind;
  /** The prefix of every id of this part, so that ids are unique on the page. */
  readonly prefix: string;
  readonly changeIds: ReadonlyMap<string, string>;
  readonly lineOf?: ReportOrigin['lineOf'];
}

export function changeLink(address: string, part: Pick<PagePart, 'changeIds'>, text = address): Html {
  const { changeIds } = part;
  const id = changeIds.get(address);
  return id === undefined ? html`${text}` : html`<a href="#${id}">${text}</a>`;
}

function placeElement(place: SourceLocation | undefined, lineOf: PagePart['lineOf'], text?: string) {
  if (place === undefined) return undefined;
  const url = lineOf?.(place);
  const shown = text ?? placeText(place);
  return html` <code class="place">${url === undefined ? shown : html`<a href="${url}">${shown}</a>`}</code>`;
}

/**
 * The whole file. It asks the network for nothing, and its policy allows this one style and this one script by their
 * hashes: injected markup cannot run.
 */
export function page(title: string, about: string, content: Html, origin: ReportOrigin | undefined): string {
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return htmlText(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${about === '' ? title : `${title}: ${about}`} - Attune</title>
<style>${trusted(style)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top"><p class="brand">Attune</p><h1>${title}</h1>${origin && originText(origin)}</header>
<main id="content" tabindex="-1">
${content}</main>
<script>${trusted(script)}</script>
</body>
</html>
`);
}

function originText({ at, commit, page: link }: ReportOrigin): Html {
  return html`<p class="origin"><time datetime="${at.toISOString()}">${at.toISOString().slice(0, 16).replace('T', ' ')} UTC</time>${commit && html` <span>commit <code>${commit.slice(0, 12)}</code></span>`}${link && html` <a href="${link.url}">${link.title}</a>`}</p>`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** Risks of one kind that are listed at once; the list of changes has the others. */
const mostRisks = 20;

export function attention(sections: readonly Section[], parts: readonly PagePart[]): Html | undefined {
  const items = sections.flatMap((one) => (one.name === 'attention' ? one.items : []));
  if (items.length === 0) return undefined;
  return html`<section class="attention" id="attention" aria-labelledby="attention-title">
<h2 id="attention-title">Needs attention <span class="count">${figure(countOf(items))}</span></h2>
${riskList(limited(items, mostRisks), parts)}</section>
`;
}

function riskList(items: readonly Item[], parts: readonly PagePart[]): Html {
  return html`<ul class="risks">${items.map((item) => riskElement(item, parts))}</ul>`;
}

function riskElement(item: Item, parts: readonly PagePart[]): Html {
  const { label = '', address, place, risk, members } = item;
  const { head, detail } = item.columns ?? item;
  const { changeIds, prefix, lineOf } = parts[risk?.entry ?? 0] ?? {};
  const id = address === undefined || members ? undefined : (changeIds?.get(address) ?? `${prefix}-title`);
  const name = id === undefined ? html`${head}` : html`<a href="#${id}">${head}</a>`;
  const fold =
    members &&
    html`<details class="fold"><summary>Show ${figure(members.length)}</summary>${riskList(members, parts)}</details>`;
  const level = risk?.level ?? 'medium';
  return html`<li class="risk ${level}"><span class="sr">${level} risk: </span><b>${label}:</b> <code>${name}</code>${detail !== undefined && html` <span class="risk-detail">${detail}</span>`}${risk?.root !== undefined && html` <code class="root-name">${risk.root}</code>`}${placeElement(place, lineOf)}${fold}</li>
`;
}

/*
 * The sections of a root file as lists: diagnostics with their lines, and everything else as items
 * with the lines below them, a fold of the members of a group, and a fold of the calls of a change.
 */

const mostListed = 500;

/** The parts of the root files, in their order. */
export function rootParts({ entries, sections }: ReportView, lineOf: ReportOrigin['lineOf']) {
  const byRoot = groupBy(sections, ({ root }) => root);
  return entries.map(({ kind }, index) => {
    const own = (byRoot.get(index) ?? []).filter(({ name }) => name !== 'attention');
    const items = own.flatMap((section) => (isOfChanges(section.name) ? section.items : []));
    const changes = items.flatMap((item) => item.members ?? (item.change ? [item] : []));
    const prefix = `r${index + 1}`;
    const addresses = [...new Set(changes.map(({ head }) => head))];
    const changeIds = new Map(addresses.map((address, nth) => [address, `${prefix}-c${nth + 1}`]));
    const part: PagePart = { kind, prefix, lineOf, changeIds };
    const lists = own.map((section, nth) => sectionList(section, nth, part));
    const errors = own[0]?.title === 'Errors' ? lists.splice(0, 1) : [];
    return { ...part, changes, errors, lists };
  });
}

export type RootPart = ReturnType<typeof rootParts>[number];

function sectionList(section: Section, index: number, part: PagePart): Html {
  const { name, title, level, items, notes = [] } = section;
  const isFiltered = isOfChanges(name);
  const rest = isFiltered ? 0 : items.length - mostListed;
  const shown = rest > 0 ? items.slice(0, mostListed) : items;
  const count = countOf(items);
  const heading = html`${title}${count > 0 && html` <span class="count">${figure(count)}</span>`}`;
  const list = html`<ol class="items">${shown.map((item) => itemElement(item, part, isFiltered))}</ol>${rest > 0 && html`<p class="aside">and ${figure(rest)} more</p>`}`;
  const content = html`${items.length > 0 && list}${notes.map((note) => html`<p class="lead">${prose(note)}</p>`)}`;
  const isNamed =
    name === 'dropped' || name === 'permissions' || (name === 'undeclared' && items.length > 20);
  const id = `${part.prefix}-s${index + 1}`;
  return isNamed || (name === 'part' && level === 'low')
    ? html`<details class="part" id="${id}"><summary>${heading}</summary>${content}</details>
`
    : html`<section class="part" id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">${heading}</h3>
${content}</section>
`;
}

/** Backticks mark code. */
function prose(text: string): Html {
  const parts = text.split(/`([^`]+)`/);
  return html`${parts.map((part, nth) => (nth % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

function isOfChanges(name: SectionName): boolean {
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

const tones: Readonly<Record<string, string>> = {
  '+': 'create',
  '~': 'update',
  '-': 'delete',
  '?': 'warning',
};

function itemElement(item: Item, part: PagePart, isFiltered: boolean): Html {
  if (item.diagnostic) return diagnosticElement(item, part);
  const { sign, head, address, detail, place, places, rest, outcome, change, members } = item;
  const tone = tones[sign] ?? '';
  const single = members ? undefined : change;
  const badge =
    outcome !== undefined &&
    html` <span class="badge ${outcome}"><span aria-hidden="true">${outcomeSigns[outcome]}</span> ${outcome}</span>`;
  const noun = part.kind === 'drift' && item.rule !== 'held' ? 'difference' : 'change';
  const fold =
    members &&
    html`<details class="members"><summary>Show <span class="count">${countedFigure(members.length, noun)}</span></summary><ol class="items">${members.map((member) => itemElement(member, part, isFiltered))}</ol></details>`;
  return html`<li class="item ${tone} ${outcome ?? ''} ${members ? 'group' : ''}"${isFiltered && single && changeData(item, part)}>
<div class="item-head">${sign !== '' && html`<span class="sign ${tone}" aria-hidden="true">${sign === '-' ? '−' : sign}</span>`}<h4>${head === address ? addressText(head) : head}</h4>${badge}${detail !== undefined && html` <span class="aside">${detail}</span>`}${single && html`<span class="sr">${single.action}</span>`}${places !== '' && placeElement(place, part.lineOf, places)}</div>
${rest.length > 0 && html`<ul class="lines">${rest.map(lineElement)}</ul>`}${fold}${single && callsOf(item, part)}</li>
`;
}

function changeData({ head, outcome, change, isContinued }: Item, { changeIds }: PagePart): Html {
  const id = changeIds.get(head) ?? '';
  return html` ${isContinued ? 'data-also' : 'id'}="${id}" data-action="${change?.action ?? ''}" data-kind="${change?.kind ?? ''}"${outcome !== undefined && html` data-result="${outcome}"`}`;
}

function addressText(address: string): Html {
  const dot = address.indexOf('.') + 1;
  return html`<code><span class="dim">${address.slice(0, dot)}</span>${address.slice(dot)}</code>`;
}

function lineElement(line: Line): Html {
  if (typeof line === 'string') return html`<li>${line}</li>`;
  const { path, pieces, sizes } = line;
  const values = pieces.map((piece) => {
    if (typeof piece === 'string') return html`${piece}`;
    return piece.tone === 'gain' ? html`<ins>${piece.text}</ins>` : html`<del>${piece.text}</del>`;
  });
  return html`<li class="field"><span class="path">${path}</span> <span class="value">${values}${sizes}</span></li>`;
}

function callsOf({ change, isContinued }: Item, { kind }: PagePart): Html | undefined {
  if (change === undefined || change.calls.length === 0 || isContinued || kind === 'drift') return undefined;
  const done = 'callsDone' in change ? plannedDone(change).length : undefined;
  const list = change.calls.map(({ method, path }, index) => {
    const state =
      done !== undefined &&
      html` <span class="aside">${index < done ? '✓ completed' : 'not sent or failed'}</span>`;
    return html`<li><code>${method} ${path}</code>${state}</li>`;
  });
  return html`<details class="calls"><summary>${countedFigure(list.length, 'call')}</summary><ol>${list}</ol></details>`;
}

const marks = { error: '✗', warning: '!', note: 'i' } as const;

function diagnosticElement({ title, head, place, address, rest, level, diagnostic }: Item, part: PagePart) {
  const source = diagnostic ? sourceLines(diagnostic) : [];
  return html`<li class="item diagnostic">
<div class="item-head"><span class="badge ${level}"><span aria-hidden="true">${marks[level]}</span> ${level}</span> <code class="code">${title}</code>${address !== undefined && html` <code>${changeLink(address, part)}</code>`}${placeElement(place, part.lineOf)}</div>
<p class="message">${head}</p>${
    source.length > 0 &&
    html`<pre class="source">${source.map(
      (line) => html`${line}
`,
    )}</pre>`
  }${rest.length > 0 && html`<ul class="lines">${rest.map(lineElement)}</ul>`}</li>
`;
}
