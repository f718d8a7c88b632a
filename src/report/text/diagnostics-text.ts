import type { Diagnostic, Severity, SourceLocation } from '../../model/diagnostic.ts';
import { escapeControls, escapeTexts } from '../escape-controls.ts';
import { type Paint, paintedPatch, plain, type Style } from '../paint.ts';

export type PathOf = (file: string) => string;

export function placeOf(location: SourceLocation, path: PathOf): SourceLocation {
  return escapeTexts({ ...location, file: path(location.file) });
}

export function shownDiagnostic({ location, sourceLine, ...texts }: Diagnostic, path: PathOf): Diagnostic {
  return {
    ...escapeTexts(texts),
    ...(location && { location: placeOf(location, path) }),
    ...(sourceLine !== undefined && { sourceLine }),
  };
}

/** The diagnostics of root files with their places from the working folder. Those of a file that several include are equal then. */
export function placedDiagnostics(
  entries: readonly { readonly diagnostics: readonly Diagnostic[]; readonly path: PathOf }[],
): readonly Diagnostic[] {
  return entries.flatMap(({ diagnostics, path }) =>
    diagnostics.map((diagnostic) => {
      const { location } = diagnostic;
      return location ? { ...diagnostic, location: { ...location, file: path(location.file) } } : diagnostic;
    }),
  );
}

/** @param width of the terminal; a source line is cut to it @default none */
export function renderDiagnostics(
  diagnostics: readonly Diagnostic[],
  paint: Paint = plain,
  width?: number,
): string {
  const shown = diagnostics.map((diagnostic) => shownDiagnostic(diagnostic, (file) => file));
  // Several root files can have the same problem.
  return [...new Set(diagnosticTexts(shown, paint, width).map((lines) => `${lines.join('\n')}\n`))].join('');
}

/** Of diagnostics of resources that differ only in the address, so many have their source line and their hint. The others are one line. */
const mostWhole = 3;

/** The lines of each diagnostic. */
export function diagnosticTexts(
  diagnostics: readonly Diagnostic[],
  paint: Paint = plain,
  width?: number,
): readonly (readonly string[])[] {
  const seen = new Map<string, number>();
  return diagnostics.map((diagnostic) => {
    const { code, message, hint, detail, address } = diagnostic;
    const lines = diagnosticLines(diagnostic, paint, width);
    const kind = address && JSON.stringify([code, message.replace(address, ''), hint, detail]);
    const count = kind === undefined ? 0 : (seen.get(kind) ?? 0);
    if (kind !== undefined) seen.set(kind, count + 1);
    return count < mostWhole ? lines : lines.slice(0, 1);
  });
}

function diagnosticLines(diagnostic: Diagnostic, paint: Paint, width?: number): string[] {
  const { severity, code, message, location, detail = [], hint } = diagnostic;
  const where = location ? `${location.file}:${location.line}:${location.column}: ` : '';
  const label = paint(severityColors[severity], `${severity}[${code}]`);
  return [
    `${where}${label}: ${message}`,
    sourceLines(diagnostic, paint, width && width - 2).map((line) => `  ${line}`),
    location?.construct === undefined ? [] : `  construct: ${location.construct}`,
    detail.map((line) => `  ${paintedPatch(line, paint)}`),
    hint === undefined ? [] : `  hint: ${hint}`,
  ].flat();
}

const severityColors: Readonly<Record<Severity, Style>> = { error: 'red', warning: 'yellow', note: 'cyan' };

export function sourceLines(
  { location, sourceLine }: Diagnostic,
  paint: Paint = plain,
  width = Number.POSITIVE_INFINITY,
): string[] {
  if (location === undefined || sourceLine === undefined) return [];
  const number = String(location.line);
  const free = width - `${number} | `.length - 2 * dots.length;
  const { text, caret } = excerpt(sourceLine, location.column, Math.max(1, Math.min(widest, free)));
  return [
    `${number} | ${text}`.trimEnd(),
    `${' '.repeat(number.length)} | ${' '.repeat(caret)}${paint('bold', '^')}`,
  ];
}

/** How much of a source line is shown, at most. */
const widest = 100;
const dots = '...';

function excerpt(line: string, column: number, most: number): { text: string; caret: number } {
  const at = column - 1;
  const before = Math.floor(most * 0.6);
  const start = line.length <= most || at <= before ? 0 : at - before;
  const end = Math.min(line.length, start + most);
  const left = start > 0 ? dots : '';
  const right = end < line.length ? dots : '';
  const shown = (from: number, to: number) => escapeControls(line.slice(from, to).replaceAll('\t', ' '));
  const lead = shown(start, at);
  // Code points, so that an emoji does not push the caret two places.
  return { text: `${left}${lead}${shown(at, end)}${right}`, caret: left.length + [...lead].length };
}
