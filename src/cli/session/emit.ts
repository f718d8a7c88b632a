import { readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { type Diagnostic, hasErrors } from '../../model/diagnostic.ts';
import { slashed } from '../../model/paths.ts';
import { plain } from '../../report/paint.ts';
import { renderReport } from '../../report/render-report.ts';
import type { Report, ReportEntry } from '../../report/report.ts';
import { writeFile } from '../files/write-file.ts';
import type { Session } from './session.ts';

/**
 * Gives out what a run has to say: on stdout in the format that was asked for, the diagnostics beside it on stderr
 * where that format does not carry them to the eye, and into the report files.
 */
export async function emit(session: Session, report: Report): Promise<void> {
  session.progress.end();
  const { flags, io, console } = session;
  if (flags.format === 'text') {
    const { resultText } = await import('../../report/text/text.ts');
    const text = resultText(report, { paint: console.paint });
    if (text !== '') console.result(report.kind === 'apply' ? `\n${text}` : text);
  } else {
    io.stdout.write(await renderReport(report, flags.format, { paint: plain }));
  }
  if (flags.format !== 'json' && flags.format !== 'github' && report.kind !== 'validate') {
    for (const { diagnostics, path } of report.entries) console.diagnostics(diagnostics, path);
  }
  await writeReports(session, report);
}

export async function writeReports({ reports, masked }: Session, report: Report): Promise<void> {
  for (const { path, format } of reports) {
    await writeFile(path, masked(await renderReport(report, format, { paint: plain })));
  }
}

/** Diagnostics of files in one folder, for a report. */
export function entryOf(
  session: Session,
  folder: string,
  { diagnostics, ...rest }: Pick<ReportEntry, 'diagnostics'> & Partial<ReportEntry>,
): ReportEntry {
  return {
    ...rest,
    diagnostics: withSourceLines(folder, diagnostics),
    path: shownFrom(session.io.cwd, folder),
  };
}

/** Ends a run that has nothing to show but reasons: exit code 1. */
export async function refuse(
  session: Session,
  kind: Report['kind'],
  entries: readonly ReportEntry[],
): Promise<number> {
  await emit(session, { kind, entries });
  return entries.some(({ diagnostics }) => hasErrors(diagnostics)) ? 1 : 0;
}

/** What the reads found wrong points into the files too: each of them is read again, once. */
function withSourceLines(folder: string, diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const files = new Map<string, readonly string[]>();
  return diagnostics.map((diagnostic) => {
    const { location, sourceLine } = diagnostic;
    if (location === undefined || sourceLine !== undefined) return diagnostic;
    const lines = files.get(location.file) ?? linesOf(join(folder, location.file));
    files.set(location.file, lines);
    const line = lines[location.line - 1];
    return line === undefined ? diagnostic : { ...diagnostic, sourceLine: line };
  });
}

/** None where the file is gone by now: the diagnostic is told without its line then. */
function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/);
  } catch {
    return [];
  }
}

function shownFrom(cwd: string, folder: string): (file: string) => string {
  const prefix = slashed(relative(cwd, folder));
  return (file) => (prefix === '' || file.startsWith('/') ? file : posix.join(prefix, file));
}
