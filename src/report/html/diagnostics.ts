import { severities } from '../../model/diagnostic.ts';
import type { DiagnosticView } from '../report-view.ts';
import { countedFigure } from '../words.ts';
import { changeLink, section } from './elements.ts';
import { type Html, html } from './escape.ts';
import type { PageEntry } from './page-entry.ts';

const marks = { error: '✗', warning: '!', note: 'i' } as const;

/** How much of a source line is shown, and how much of that before the place that is meant. */
const widest = 160;
const lead = 80;

/** Errors, warnings and notes, the most severe first. */
export function diagnostics(entry: PageEntry): Html | undefined {
  const all = entry.view.diagnostics;
  if (all.length === 0) return undefined;
  const bySeverity = severities.map((severity) =>
    all.filter((diagnostic) => diagnostic.severity === severity),
  );
  const counts = bySeverity.flatMap((same) => {
    const [first] = same;
    return first ? [countedFigure(same.length, first.severity)] : [];
  });
  const list = html`<ul class="diagnostics">${bySeverity.flat().map((one) => diagnosticItem(one, entry))}</ul>
`;
  return section(
    entry,
    'diagnostics',
    html`Diagnostics <span class="count">${counts.join(', ')}</span>`,
    list,
  );
}

function diagnosticItem(diagnostic: DiagnosticView, entry: PageEntry): Html {
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
