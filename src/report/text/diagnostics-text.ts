import type { Diagnostic, Severity } from '../../model/diagnostic.ts';
import { type DiagnosticView, diagnosticView } from '../diagnostic-view.ts';
import { escapeControls } from '../escape-controls.ts';
import { colored, type Paint, paintedPatch, plain, type Style } from '../paint.ts';

export interface DiagnosticsTextOptions {
  /** @default false */
  readonly color?: boolean;
  /** Turns a location's file, relative to its root's folder, into what is shown. */
  readonly path?: (file: string) => string;
}

/** How much of a source line is shown, and how much of that before the caret. */
const widest = 100;
const before = 60;
const tabWidth = 4;

/** Diagnostics for people: the place, the line with a caret under it, and what to do. */
export function renderDiagnostics(
  diagnostics: readonly Diagnostic[],
  { color = false, path = (file) => file }: DiagnosticsTextOptions = {},
): string {
  const views = diagnostics.map((diagnostic) => diagnosticView(diagnostic, path));
  return diagnosticsText(views, color ? colored : plain);
}

export function diagnosticsText(diagnostics: readonly DiagnosticView[], paint: Paint): string {
  return diagnostics.map((diagnostic) => `${diagnosticLines(diagnostic, paint).join('\n')}\n`).join('');
}

export function diagnosticLines(diagnostic: DiagnosticView, paint: Paint = plain): string[] {
  const { severity, code, message, construct, place, sourceLine, detail = [], hint } = diagnostic;
  const where = place ? `${place.file}:${place.line}:${place.column}: ` : '';
  const label = paint(severityColors[severity], `${severity}[${code}]`);
  const lines = [`${where}${label}: ${message}`];
  if (place && sourceLine !== undefined) {
    const { text, caret } = excerpt(sourceLine, place.column);
    const number = String(place.line);
    lines.push(`  ${number} | ${text}`.trimEnd());
    lines.push(`  ${' '.repeat(number.length)} | ${' '.repeat(caret)}${paint('bold', '^')}`);
  }
  if (construct !== undefined) lines.push(`  construct: ${construct}`);
  lines.push(...detail.map((line) => `  ${paintedPatch(line, paint)}`));
  if (hint !== undefined) lines.push(`  hint: ${hint}`);
  return lines;
}

const severityColors: Readonly<Record<Severity, Style>> = { error: 'red', warning: 'yellow', note: 'cyan' };

/** The part of a line around a column, as it is shown, and the number of characters before the caret. */
function excerpt(line: string, column: number): { text: string; caret: number } {
  const at = column - 1;
  const start = line.length <= widest || at <= before ? 0 : at - before;
  const end = Math.min(line.length, start + widest);
  const left = start > 0 ? '...' : '';
  const right = end < line.length ? '...' : '';
  const lead = shown(line.slice(start, at), left.length);
  const rest = shown(line.slice(at, end), left.length + lead.length);
  return { text: `${left}${lead}${rest}${right}`, caret: left.length + characters(lead) };
}

/** With tabs as spaces up to the next stop, so that the caret's line can be made of spaces alone. */
function shown(text: string, offset: number): string {
  let result = '';
  for (const part of text.split(/(\t)/)) {
    result +=
      part === '\t' ? ' '.repeat(tabWidth - ((offset + result.length) % tabWidth)) : escapeControls(part);
  }
  return result;
}

/** Code points, so that an emoji does not push the caret two places. */
function characters(text: string): number {
  return [...text].length;
}
