import { documentOfPlan, driftFormat, printedDiagnostic } from '../apply/plan-document.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { jsonText } from './escape-controls.ts';
import type { Report, ReportEntry } from './report.ts';

/**
 * Exactly one document: one root file's own, or the list of several, or of none for a shard without root files. Root files
 * that failed are listed before the others.
 */
export function renderJson(report: Report): string {
  const failed = report.entries.filter((entry) => entry.failed);
  const others = report.entries.filter((entry) => !entry.failed);
  const documents = others.map((entry) => entryDocument(report, entry) ?? failedDocument(entry));
  const complete = report.kind !== 'validate' && documents.every((document) => document !== undefined);
  if (!complete) return jsonText(diagnosticsDocument(diagnosticsTogether(report.entries)));
  if (documents.length === 1 && failed.length === 0) return jsonText(documents[0]);
  return jsonText({
    format: 'attune.plans/1',
    failed: failed.length > 0 ? failed.map(failedRoot) : undefined,
    roots: rootsOf(others),
    plans: documents,
  });
}

function failedRoot({ source, diagnostics }: ReportEntry) {
  return { root: source, diagnostics: diagnostics.map(printedDiagnostic) };
}

/** An undo without root files has the same for several plans, and names none. */
function rootsOf(entries: readonly ReportEntry[]): readonly (string | null)[] | undefined {
  const roots = entries.map(({ file = null }) => file);
  const isAmbiguous =
    new Set(roots).size < roots.length && entries.some(({ source }) => source === undefined);
  return isAmbiguous || roots.every((root) => root === null) ? undefined : roots;
}

/** Root files can be in different folders, so only the path from the working folder identifies a file. */
function diagnosticsTogether(entries: readonly ReportEntry[]): Diagnostic[] {
  const several = entries.length > 1;
  return entries.flatMap(({ diagnostics, path }) =>
    diagnostics.map((diagnostic) => {
      const { location } = diagnostic;
      return several && location
        ? { ...diagnostic, location: { ...location, path: path(location.file) } }
        : diagnostic;
    }),
  );
}

function diagnosticsDocument(diagnostics: readonly Diagnostic[]): Record<string, unknown> {
  return { format: 'attune.diagnostics/1', diagnostics: diagnostics.map(printedDiagnostic) };
}

function failedDocument({ source, diagnostics }: ReportEntry): Record<string, unknown> | undefined {
  return source === undefined ? undefined : { ...diagnosticsDocument(diagnostics), file: source };
}

/** `undefined` if there are only diagnostics. */
function entryDocument(report: Report, entry: ReportEntry): Record<string, unknown> | undefined {
  const { kind, plan, result, diagnostics, risks } = entry;
  const made = kind ?? report.kind;
  if (made === 'apply') {
    const applied = result && { ...result.plan, changes: result.changes, diagnostics };
    return applied && documentOfPlan(applied, 'attune.apply/1', risks);
  }
  const format = made === 'drift' ? driftFormat : 'attune.plan/1';
  return plan && documentOfPlan({ ...plan, diagnostics }, format, risks);
}
