import { severities } from '../../model/diagnostic.ts';
import { groupBy } from '../../model/value.ts';
import type { DiagnosticView } from '../diagnostic-view.ts';
import type { Item, ItemRisk } from '../items.ts';
import { restText } from '../risk-view.ts';
import { countedFigure, figure, firstOf, placeText } from '../words.ts';
import { changeLink, section } from './elements.ts';
import { type Html, html } from './escape.ts';
import type { PageEntry } from './page-entry.ts';

/** Risks of one kind that are visible at once; the others are in a fold. */
const mostVisible = 5;
/** Risks of one kind that the page has; a plan that deletes 10,000 workspaces has the others in its changes. */
const mostListed = 500;

/** What needs attention in one or several root files, the most severe kind first. */
export function attention(items: readonly Item[], parts: readonly PageEntry[], id: string): Html | undefined {
  if (items.length === 0) return undefined;
  const kinds = [...groupBy(items, ({ risk }) => risk?.label).values()];
  const title = html`Needs attention <span class="count">${figure(items.length)}</span>`;
  return html`<section class="attention" id="${id}" aria-labelledby="${id}-title">
${parts.length > 1 ? html`<h2 id="${id}-title">${title}</h2>` : html`<h3 id="${id}-title">${title}</h3>`}
<ul class="risk-kinds">${kinds.map((same) =>
    riskKind(
      same.flatMap(({ risk }) => risk ?? []),
      parts,
    ),
  )}</ul>
</section>
`;
}

const levelWords = { high: 'high risk', medium: 'medium risk' } as const;

function riskKind(risks: readonly ItemRisk[], parts: readonly PageEntry[]): Html {
  const [{ level, label }] = risks as readonly [ItemRisk];
  const { shown: visible, rest } = firstOf(risks, mostVisible);
  const folded = risks.slice(visible.length, mostListed);
  const omitted = rest.length - folded.length;
  const list = (some: readonly ItemRisk[]) =>
    html`<ul class="risks">${some.map((risk) => riskElement(risk, parts))}</ul>`;
  return html`<li class="risk-kind ${level}"><p class="risk-head"><span class="risk-sign" aria-hidden="true">${level === 'high' ? '!' : '~'}</span><span class="sr">${levelWords[level]}: </span><b>${label}</b>${risks.length > 1 && html` <span class="count">${figure(risks.length)}</span>`}</p>
${list(visible)}${
  rest.length > 0 &&
  html`<details class="fold"><summary>${restText(rest)}</summary>${list(folded)}${omitted > 0 && html`<p class="aside">and ${figure(omitted)} more in the list of changes</p>`}</details>`
}</li>
`;
}

/** A risk with a link to its change, else to its root file. */
function riskElement({ address, root, detail, place, entry }: ItemRisk, parts: readonly PageEntry[]): Html {
  const { changeIds, prefix } = parts[entry] ?? {};
  const id = changeIds?.get(address) ?? `${prefix}-title`;
  return html`<li class="risk"><code><a href="#${id}">${address}</a></code>${detail !== '' && html` <span class="risk-detail">${detail}</span>`}${root !== undefined && html` <code class="root-name">${root}</code>`}${place && html` <code class="place">${placeText(place)}</code>`}</li>`;
}

const marks = { error: '✗', warning: '!', note: 'i' } as const;

/** How much of a source line is shown, and how much of that before the place that is meant. */
const widest = 160;
const lead = 80;

/** Errors, then warnings and notes. */
export function diagnostics(entry: PageEntry): Html | undefined {
  const all = entry.sections.flatMap(({ items }) => items.flatMap(({ diagnostic }) => diagnostic ?? []));
  if (all.length === 0) return undefined;
  const counts = severities.flatMap((severity) => {
    const { length } = all.filter((one) => one.severity === severity);
    return length > 0 ? countedFigure(length, severity) : [];
  });
  return section(
    entry,
    'diagnostics',
    html`Diagnostics <span class="count">${counts.join(', ')}</span>`,
    html`<ul class="diagnostics">${all.map((one) => diagnosticElement(one, entry))}</ul>
`,
  );
}

function diagnosticElement(diagnostic: DiagnosticView, entry: PageEntry): Html {
  const { severity, code, message, place, address, sourceLine, hint } = diagnostic;
  return html`<li class="diagnostic ${severity}">
<p class="diagnostic-head"><span class="badge ${severity}"><span aria-hidden="true">${marks[severity]}</span> ${severity}</span> <code class="code">${code}</code>${address !== undefined && html` <code>${changeLink(address, entry)}</code>`}${place && html` <code class="place">${place.file}:${place.line}:${place.column}</code>`}</p>
<p class="message">${message}</p>${place && sourceLine !== undefined && excerpt(sourceLine, place.line, place.column)}${
    hint !== undefined && html`<p class="hint"><b>Hint:</b> ${hint}</p>`
  }</li>`;
}

/** The part of a line around a column, with its place marked. */
function excerpt(source: string, line: number, column: number): Html {
  const at = Math.min(column - 1, source.length);
  const start = source.length <= widest || at <= lead ? 0 : at - lead;
  const end = Math.min(source.length, start + widest);
  const word = /^[\w.~-]*/.exec(source.slice(at, end))?.[0] || source.slice(at, at + 1) || ' ';
  const tabs = (text: string) => text.replaceAll('\t', '    ');
  return html`<pre class="source"><span class="line-number">${line}</span>${start > 0 && '…'}${tabs(source.slice(start, at))}<mark>${tabs(word)}</mark>${tabs(source.slice(at + word.length, end))}${end < source.length && '…'}</pre>`;
}
