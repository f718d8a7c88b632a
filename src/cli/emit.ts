import { readFileSync, realpathSync, statSync } from 'node:fs';
import system, { type PlatformPath, posix, resolve } from 'node:path';
import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import { isInside, slashed } from '../model/files.ts';
import { diagnosticsJson } from '../report/json.ts';
import { plain } from '../report/paint.ts';
import { renderReport } from '../report/render-report.ts';
import type { Report, ReportEntry, ReportKind } from '../report/report.ts';
import { resultText } from '../report/text/text.ts';
import { errorDiagnostics } from './console.ts';
import { writeFile } from './files/write-file.ts';
import type { Session } from './session.ts';

/**
 * Writes the report files, then prints the result on stdout in the format that was asked for. Diagnostics go to stderr
 * if stdout does not show them: because of its format, or because it cannot be written.
 */
export async function emit(session: Session, complete: Report): Promise<void> {
  session.progress.end();
  const report = withDiagnostics(complete, await writeReports(session, complete));
  const { flags, io, console } = session;
  const full = flags.full === true;
  // The diagnostics of a failed export are errors; those of a complete one are its result, as for `validate`.
  const isFailedExport =
    report.kind === 'export' && report.entries.some(({ diagnostics }) => hasErrors(diagnostics));
  const isResult = report.kind === 'validate' || (report.kind === 'export' && !isFailedExport);
  let isShown = flags.format === 'json' || flags.format === 'github' || isResult;
  if (flags.format === 'text') {
    const text = isFailedExport ? '' : resultText(report, { paint: console.paint, full });
    if (text !== '') console.result(report.kind === 'apply' ? `\n${text}` : text);
  } else if (io.stdout.isUsed()) {
    // One run prints one document; later failures go to stderr.
    isShown = false;
  } else {
    io.stdout.write(await renderReport(report, flags.format, { paint: plain, full }));
  }
  if ((await io.stdout.failure()) !== undefined) isShown = false;
  if (isShown) return;
  for (const { diagnostics, path } of report.entries) console.diagnostics(diagnostics, path);
}

/** @returns why some of them could not be written */
async function writeReports(session: Session, report: Report): Promise<Diagnostic[]> {
  const unwritten: Diagnostic[] = [];
  for (const { path, format } of session.reports) {
    try {
      await writeFile(
        path,
        session.masked(
          await renderReport(report, format, { paint: plain, full: session.flags.full === true }),
        ),
      );
    } catch (error) {
      unwritten.push(...errorDiagnostics(error, session));
      session.output.isIncomplete = true;
    }
  }
  return unwritten;
}

/** Diagnostics of the whole run are shown with the first root file. */
export function withDiagnostics({ kind, entries }: Report, added: readonly Diagnostic[]): Report {
  if (added.length === 0) return { kind, entries };
  const [first = { diagnostics: [], path: (file: string) => file }, ...others] = entries;
  return { kind, entries: [{ ...first, diagnostics: [...first.diagnostics, ...added] }, ...others] };
}

/** Diagnostics of files in one folder, for a report. */
export function entryOf(
  session: Session,
  folder: string,
  { diagnostics, ...rest }: Pick<ReportEntry, 'diagnostics'> & Partial<ReportEntry>,
): ReportEntry {
  return {
    ...rest,
    diagnostics: withSourceLines(folder, diagnostics, session),
    path: shownFrom(session.io.cwd, folder),
  };
}

/** Ends a run without a result: with a report of the reasons, and exit code 1. */
export async function refuse(
  session: Session,
  kind: ReportKind,
  entries: readonly ReportEntry[],
): Promise<number> {
  await emit(session, { kind, entries });
  return entries.some(({ diagnostics }) => hasErrors(diagnostics)) ? 1 : 0;
}

/** Ends a run of a command that makes no report: with the reasons, and exit code 1. */
export async function printErrors(session: Session, entries: readonly ReportEntry[]): Promise<1> {
  const { flags, io, console, progress } = session;
  progress.end();
  if (flags.format === 'json' && !io.stdout.isUsed()) {
    io.stdout.write(diagnosticsJson(entries));
    if ((await io.stdout.failure()) === undefined) return 1;
  }
  for (const { diagnostics, path } of entries) console.diagnostics(diagnostics, path);
  return 1;
}

/**
 * Diagnostics of reads have locations in files, too. Each of these files is read once more for its source lines. A file
 * that a program wrote can name any place, so only the program of `--app` is quoted from outside the folder.
 */
function withSourceLines(
  folder: string,
  diagnostics: readonly Diagnostic[],
  { flags }: Pick<Session, 'flags'>,
): Diagnostic[] {
  const read = (file: string) =>
    flags.app !== undefined || isReallyInside(folder, resolve(folder, file))
      ? linesOf(resolve(folder, file))
      : [];
  const files = new Map<string, readonly string[]>();
  return diagnostics.map((diagnostic) => {
    const { location, sourceLine } = diagnostic;
    if (location === undefined || sourceLine !== undefined) return diagnostic;
    const lines = files.get(location.file) ?? read(location.file);
    files.set(location.file, lines);
    const line = lines[location.line - 1];
    return line === undefined ? diagnostic : { ...diagnostic, sourceLine: line };
  });
}

function isReallyInside(folder: string, file: string): boolean {
  try {
    return isInside(realpathSync(folder), realpathSync(file));
  } catch {
    return false;
  }
}

/** None if the file no longer exists: the diagnostic is printed without its line. */
function linesOf(file: string): readonly string[] {
  try {
    // A pipe could block, and a device could have no end.
    if (!statSync(file).isFile()) return [];
    return readFileSync(file, 'utf8').split(/\r?\n/);
  } catch {
    return [];
  }
}

/**
 * How messages show the files of a folder. On Windows, a file on another drive has no relative path.
 *
 * @param paths The rules of a system. @default those of this system
 */
export function shownFrom(
  cwd: string,
  folder: string,
  paths: PlatformPath = system,
): (file: string) => string {
  const prefix = slashed(paths.relative(cwd, folder), paths);
  return (file) => (prefix === '' || paths.isAbsolute(file) ? file : posix.join(prefix, file));
}
