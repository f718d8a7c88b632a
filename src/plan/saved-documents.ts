import type { AppliedChange, ApplyResult } from '../model/apply-result.ts';
import { AttuneError } from '../model/attune-error.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan, ScopeReading } from '../model/plan.ts';
import { isRecord } from '../model/value.ts';
import { canonicalDigest } from './plan-document.ts';

/** One document that a command printed or saved: the result for one root file, or why a run has none. */
export type SavedDocument =
  | ({ readonly kind: 'plan' | 'drift'; readonly plan: Plan } & OfRoot)
  | ({ readonly kind: 'apply'; readonly plan: Plan; readonly result: ApplyResult } & OfRoot)
  | { readonly kind: 'diagnostics'; readonly diagnostics: readonly Diagnostic[]; readonly file?: string }
  | FailedRoot;

interface OfRoot {
  /** The root file, where the document is one of several and names it. */
  readonly root?: string;
}

/** A root file without a plan, in a run that has plans of others. */
interface FailedRoot {
  readonly kind: 'failed';
  readonly root: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** A file that is incomplete, edited, or not a document of this version. */
export class SavedDocumentError extends AttuneError {
  override readonly name = 'SavedDocumentError';
  override readonly code = 'bad-plan-file';
}

/** What a definition of the published schema reports about a document; empty if it is valid. */
export type DocumentCheck = (definition: string, document: unknown) => readonly string[];

const listFormat = 'attune.plans/1';
const kinds = {
  'attune.plan/1': 'plan',
  'attune.drift/1': 'drift',
  'attune.apply/1': 'apply',
  'attune.diagnostics/1': 'diagnostics',
} as const;

/**
 * Reads the documents of a file that `plan --out`, or `plan`, `drift` or `apply` with `--format json`, wrote.
 *
 * @throws {SavedDocumentError} if the file is incomplete, was edited, or has another format.
 */
export function parseDocuments(text: string, file: string, check: DocumentCheck): readonly SavedDocument[] {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw new SavedDocumentError(`${file} is not a complete document: it ends early or is not JSON`, {
      cause,
      hint: 'run the command that wrote it again',
    });
  }
  if (!isRecord(document) || document.format !== listFormat || !Array.isArray(document.plans))
    return [parseDocument(document, file, check)];
  const { failed = [], roots = [], plans } = document;
  refuseInvalid('plans', [...check('failedRoots', failed), ...check('roots', roots)], file);
  return [
    ...(failed as readonly Omit<FailedRoot, 'kind'>[]).map((one) => ({ ...one, kind: 'failed' as const })),
    ...plans.map((one, index) => {
      const root = (roots as readonly string[])[index];
      return { ...parseDocument(one, file, check), ...(root !== undefined && { root }) };
    }),
  ];
}

function parseDocument(document: unknown, file: string, check: DocumentCheck): SavedDocument {
  const format = isRecord(document) ? document.format : undefined;
  const kind = Object.entries(kinds).find(([name]) => name === format)?.[1];
  if (!isRecord(document) || kind === undefined) {
    const found = typeof format === 'string' ? `its format is ${format.slice(0, 100)}` : 'it has no format';
    throw new SavedDocumentError(`${file} is not a plan, drift or apply document of this version: ${found}`, {
      hint: 'use files that `attune plan --out`, or plan, drift or apply with --format json, wrote',
    });
  }
  const { digest, ...rest } = document;
  if (kind !== 'diagnostics' && digest !== canonicalDigest(rest)) {
    throw new SavedDocumentError(`${file} was modified after it was saved: its digest does not match`, {
      hint: 'run the command that wrote it again',
    });
  }
  refuseInvalid(kind, check('overview' in rest ? 'savedPlan' : kind, document), file);
  if (kind === 'diagnostics') return { ...(rest as unknown as DiagnosticsPart), kind };
  const plan = planOf(rest);
  if (kind !== 'apply') return { kind, plan };
  const changes = rest.changes as readonly AppliedChange[];
  return { kind, plan, result: { plan, changes, diagnostics: [] } };
}

/** @throws {SavedDocumentError} if there are errors. */
function refuseInvalid(kind: string, errors: readonly string[], file: string): void {
  if (errors.length === 0) return;
  throw new SavedDocumentError(`${file} is not a valid ${kind} document: ${errors.slice(0, 3).join('; ')}`, {
    hint: 'run the command that wrote it again with this version of Attune',
  });
}

interface DiagnosticsPart {
  readonly diagnostics: readonly Diagnostic[];
  readonly file?: string;
}

/** A printed document has no overview: only a saved plan contains who can read which state. */
function planOf({ format: _format, risks: _risks, scope, ...plan }: Record<string, unknown>): Plan {
  const overview = { workspaces: [], grants: [], scope: scope as ScopeReading };
  return { overview, ...plan } as unknown as Plan;
}
