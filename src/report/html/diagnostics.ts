import { severities } from '../../model/diagnostic.ts';
import type { DiagnosticView } from '../report-view.ts';
import { countedFigure } from '../words.ts';
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
  const counts = severities.flatMap((severity) => {
    const count = all.filter((diagnostic) => diagnostic.severity === severity).length;
    return count > 0 ? [countedFigure(count, severity)] : [];
  });
  const sorted = severities.flatMap((severity) =>
    all.filter((diagnostic) => diagnostic.severity === severity),
  );
  const id = `${entry.prefix}-diagnostics`;
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">Diagnostics <span class="count">${counts.join(', ')}</span></h3>
<ul class="diagnostics">${sorted.map((one) => diagnosticItem(one, entry))}</ul>
</section>`;
}

function diagnosticItem(diagnostic: DiagnosticView, { changeIds }: PageEntry): Html {
  const { severity, code, message, place, address, sourceLine, hint } = diagnostic;
  const target = address === undefined ? undefined : changeIds.get(address);
  return html`<li class="diagnostic ${severity}">
<p class="diagnostic-head"><span class="badge ${severity}"><span aria-hidden="true">${marks[severity]}</span> ${severity}</span> <code class="code">${code}</code>${address !== undefined && html` <code>${target ? html`<a href="#${target}">${address}</a>` : address}</code>`}${place && html` <code class="place">${place.file}:${place.line}:${place.column}</code>`}</p>
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
