import { dirname } from 'node:path';
import { checkPolicies } from '../check/check-policies.ts';
import { loadPolicyFiles } from '../desired/policies.ts';
import { hasErrors } from '../model/diagnostic.ts';
import type { Report, ReportEntry, ReportKind } from '../report/report.ts';
import type { SavedDocument } from '../saved/plan-file.ts';
import type { RunContext } from './context.ts';
import { RefusedError } from './errors.ts';
import { readDocuments } from './files/input-files.ts';
import { entryOf, shownFrom } from './report-entry.ts';

export async function savedReport(files: readonly string[], context: RunContext): Promise<Report> {
  const documents: FileDocument[] = [];
  for (const source of files)
    for (const document of await readDocuments(source, context.io.cwd))
      documents.push({ ...document, source });
  return reportOf(await withPolicies(documents, context));
}

type FileDocument = SavedDocument & { readonly source: string };

async function withPolicies(documents: readonly FileDocument[], context: RunContext) {
  const { options, io } = context;
  const files = await loadPolicyFiles(options.policy ?? [], io.cwd);
  if (files === undefined) return documents;
  const { policies, diagnostics, folder } = files;
  if (hasErrors(diagnostics)) throw new RefusedError([entryOf(context, folder, { diagnostics })]);
  return Promise.all(
    documents.map(async (document) =>
      'plan' in document ? { ...document, plan: await checkPolicies(document.plan, policies) } : document,
    ),
  );
}

function reportOf(documents: readonly FileDocument[]): Report {
  const kinds = new Set(documents.map(kindOf).filter((kind) => kind !== undefined));
  const [only = 'plan', another] = kinds;
  const isMixed = another !== undefined;
  const entries = documents.map((document) => documentEntry(document, isMixed));
  return { kind: isMixed ? 'report' : only, entries };
}

/** The kind of the run; undefined if it failed, because plan, drift and apply fail with the same document. */
function kindOf(document: SavedDocument): ReportKind | undefined {
  if (document.kind === 'failed') return undefined;
  if (document.kind !== 'diagnostics') return document.kind;
  return hasErrors(document.diagnostics) ? undefined : 'validate';
}

function documentEntry(document: FileDocument, isMixed: boolean): ReportEntry {
  const { source } = document;
  const kind = isMixed && { kind: kindOf(document) ?? 'plan' };
  // The files may have changed since then, so source lines are not shown.
  const path =
    document.root === undefined ? (place: string) => place : shownFrom('.', dirname(document.root));
  if (document.kind === 'failed') {
    const { root = source, diagnostics } = document;
    return { ...kind, source: root, failed: true, diagnostics, path };
  }
  if (document.kind === 'diagnostics') {
    const { diagnostics, file = source } = document;
    return { ...kind, source: file, file: document.root, diagnostics, path };
  }
  const { plan, risks, root } = document;
  const result = document.kind === 'apply' && { result: document.result };
  return { ...kind, source, file: root, plan, risks, ...result, diagnostics: plan.diagnostics, path };
}
