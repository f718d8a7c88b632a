import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import { plain } from '../report/paint.ts';
import { renderReport } from '../report/render-report.ts';
import type { Report, ReportEntry, ReportKind } from '../report/report.ts';
import { placedDiagnostics } from '../report/text/diagnostics-text.ts';
import { masked } from '../run/context.ts';
import { errorDiagnostics, failureOf } from '../run/errors.ts';
import { writeFile } from '../run/files/write-file.ts';
import { errorEntries, withDiagnostics } from '../run/report-entry.ts';
import type { SessionFlags } from './flags.ts';
import { EndedError, type Io, OutputError, signalCodes } from './io.ts';
import { createSession, type Session } from './session.ts';

/**
 * Writes the report files, then prints the result on stdout in the format that was asked for. Diagnostics go to stderr if
 * stdout does not show them: because of its format, or because it cannot be written.
 */
export async function emit(
  session: Session,
  complete: Report,
  shown: readonly ReportEntry[] = [],
): Promise<void> {
  session.progress.end();
  const unsent = session.flags.notify ? await notify(session, complete) : [];
  const isPage = [session.flags.format, ...session.reports.map(({ format }) => format)].includes('html');
  const origin = isPage ? await (await import('../run/messages.ts')).reportOrigin(session.io) : undefined;
  const informed = withDiagnostics(origin ? { ...complete, origin } : complete, unsent);
  const report = withDiagnostics(informed, await writeReports(session, informed));
  const { flags, io, console } = session;
  const full = flags.full === true;
  let isShown = flags.format === 'json' || flags.format === 'github' || report.kind === 'validate';
  if (flags.format === 'text') {
    const text = await textOf(report, session);
    if (text !== '') console.result(report.kind === 'apply' ? `\n${text}` : text);
  } else if (io.stdout.isUsed()) {
    // One run prints one document; later failures go to stderr.
    isShown = false;
  } else {
    io.stdout.write(await renderReport(report, flags.format, { paint: plain, full }));
  }
  if ((await io.stdout.failure()) !== undefined) isShown = false;
  if (isShown) return;
  const printed = new Set(shown.flatMap(({ diagnostics }) => diagnostics.map((one) => JSON.stringify(one))));
  const isFresh = (diagnostic: Diagnostic) => !printed.has(JSON.stringify(diagnostic));
  const fresh = report.entries.map((entry) => ({ ...entry, diagnostics: entry.diagnostics.filter(isFresh) }));
  console.diagnostics(placedDiagnostics(fresh));
}

export async function textOf(report: Report, { console, flags }: Session): Promise<string> {
  // Valid files have no text, so they need none of what the others load.
  if (report.kind === 'validate' && report.entries.every(({ diagnostics }) => diagnostics.length === 0))
    return '';
  const { resultText } = await import('../report/text/text.ts');
  return resultText(report, { paint: console.paint, width: console.width, full: flags.full === true });
}

async function notify(session: Session, report: Report): Promise<readonly Diagnostic[]> {
  if (report.entries.every(({ receivers, diagnostics }) => !receivers?.length && !hasErrors(diagnostics)))
    return [];
  const { messagesOf, sendMessages } = await import('../run/messages.ts');
  const messages = messagesOf(report, session);
  if (messages.length === 0) return [];
  session.progress.begin('sending messages');
  const { warnings } = await sendMessages(messages, session);
  session.progress.end();
  return warnings;
}

async function writeReports(session: Session, report: Report): Promise<Diagnostic[]> {
  const unwritten: Diagnostic[] = [];
  for (const { path, format } of session.reports) {
    const text = renderReport(report, format, { paint: plain, full: session.flags.full === true });
    const written = text.then((one) => writeFile(path, masked(one, session.secrets)));
    const reasons = await failureOf(written, session);
    unwritten.push(...reasons);
    if (reasons.length > 0) session.output.isIncomplete = true;
  }
  return unwritten;
}

/**
 * Runs a command with its session. An error ends it with the reasons in the format that was asked for. If output got
 * lost, stderr states what was written to the service, and the exit code is 1.
 */
export async function runSession(
  io: Io,
  flags: SessionFlags & { readonly out?: string },
  kind: ReportKind | undefined,
  use: (session: Session) => Promise<number>,
): Promise<number> {
  let session: Session | undefined;
  let failure: unknown;
  let code: number;
  try {
    session = await createSession(io, flags);
    code = await use(session);
  } catch (error) {
    failure = error;
    session ??= await createSession(io, { ...flags, report: [] });
    code = await failWith(error, session, kind);
  }
  const lost = await io.stdout.failure();
  if (lost && !(failure instanceof OutputError))
    session.console.diagnostics(errorDiagnostics(new OutputError(lost), session));
  const isIncomplete = lost !== undefined || session.output.isIncomplete;
  if (failure !== undefined || isIncomplete) {
    const statement = session.io.run.describeWrites?.(lost ? 'changes' : 'figures');
    if (statement !== undefined) session.io.stderr.write(statement);
    else if (failure !== undefined && kind === 'apply') session.console.inform('No changes were made.');
  }
  return isIncomplete && !codesOfSignals.has(code) ? 1 : code;
}

const codesOfSignals: ReadonlySet<number> = new Set(Object.values(signalCodes));

async function failWith(error: unknown, session: Session, kind: ReportKind | undefined): Promise<number> {
  const entries = errorEntries(error, session);
  if (kind !== undefined || session.flags.format === 'json')
    await emit(session, { kind: kind ?? 'validate', entries });
  else {
    session.progress.end();
    session.console.diagnostics(placedDiagnostics(entries));
  }
  return error instanceof EndedError ? error.exitCode : 1;
}
