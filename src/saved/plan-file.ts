import { printedDiagnostic, withDigest } from '../apply/plan-document.ts';
import type { Risk } from '../check/risks.ts';
import { type AppliedChange, type ApplyResult, plannedChange } from '../model/apply-result.ts';
import { AttuneError, type Diagnostic } from '../model/diagnostic.ts';
import type { Overview, Plan } from '../model/plan.ts';
import { canonicalDigest, isRecord } from '../model/value.ts';

/*
 * A plan file records what was reviewed. It is never the source of calls: the root files (saved-for.ts) are planned again, and the
 * new plan has to be the same (still-holds.ts).
 *
 * A saved plan is the printed document of a plan, with what only an apply and its report need: the facts of each change,
 * and the overview. A file of several plans names the root file of each. The digest protects against accidents, and the
 * schema against other versions; neither protects against a forger.
 *
 *   plans -- savePlans --> file -- parsePlans --> plans to compare with
 *   documents that plan, drift and apply printed or saved -- parseDocuments --> one report of all
 */

export type SavedDocument = OfRoot &
  (
    | (OfPlan & { readonly kind: 'plan' | 'drift' })
    | (OfPlan & { readonly kind: 'apply'; readonly result: ApplyResult })
    | { readonly kind: 'diagnostics'; readonly diagnostics: readonly Diagnostic[]; readonly file?: string }
    /** A root file without a plan, in a run that has plans of others. */
    | { readonly kind: 'failed'; readonly diagnostics: readonly Diagnostic[] }
  );

interface OfPlan {
  readonly plan: Plan;
  /** Absent for a saved plan, which has the facts that they are computed from. */
  readonly risks?: readonly Risk[] | undefined;
}

/** The root file, where the document is one of several and names it. */
interface OfRoot {
  readonly root?: string | undefined;
}

export interface SavedPlan extends Plan, OfRoot {}

/** What a definition of the published schema reports about a document; empty if it is valid. */
export type DocumentCheck = (definition: string, document: unknown) => readonly string[];

const planFormat = 'attune.plan/1';
const listFormat = 'attune.plans/1';
const kinds = {
  [planFormat]: 'plan',
  'attune.drift/1': 'drift',
  'attune.apply/1': 'apply',
  'attune.diagnostics/1': 'diagnostics',
} as const;

/** @param roots The root file of each plan. An undo without root files has the same for several plans, and names none. */
export function savePlans(plans: readonly Plan[], roots: readonly string[] = []): string {
  const documents = plans.map((plan) =>
    withDigest({ format: planFormat, ...plan, diagnostics: plan.diagnostics.map(printedDiagnostic) }),
  );
  const isOnePerPlan = new Set(roots).size === plans.length && plans.length > 0;
  const document =
    documents.length === 1
      ? documents[0]
      : { format: listFormat, roots: isOnePerPlan ? roots : undefined, plans: documents };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** @throws {AttuneError} if the file is incomplete, was edited, has another version, or has a plan that was only printed. */
export function parsePlans(text: string, file: string, check: DocumentCheck): SavedPlan[] {
  return membersIn(text, file).members.map(({ document, root }) => {
    if (formatOf(document) !== planFormat)
      throw otherFormat(document, `${file} is not a plan file of this version (${planFormat})`);
    const { format: _format, ...plan } = verified(document, 'savedPlan', { file, check });
    return { ...(plan as unknown as Plan), root };
  });
}

export function parseDocuments(text: string, file: string, check: DocumentCheck): readonly SavedDocument[] {
  const { members, roots, failed } = membersIn(text, file);
  refuseInvalid('plans document', [...check('failedRoots', failed), ...check('roots', roots)], file);
  return [
    ...(failed as readonly FailedDocument[]).map((one): FailedDocument => ({ ...one, kind: 'failed' })),
    ...members.map(({ document, root }) => ({ ...parseDocument(document, file, check), root })),
  ];
}

type FailedDocument = Extract<SavedDocument, { readonly kind: 'failed' }>;

function membersIn(text: string, file: string) {
  const document = parseJson(text, file);
  if (!isRecord(document) || document.format !== listFormat || !Array.isArray(document.plans))
    return { members: [{ document, root: undefined }], roots: [], failed: [] };
  const { failed = [], roots = [], plans } = document;
  const members = plans.map((one: unknown, index) => ({
    document: one,
    root: Array.isArray(roots) && typeof roots[index] === 'string' ? roots[index] : undefined,
  }));
  return { members, roots, failed };
}

function parseDocument(document: unknown, file: string, check: DocumentCheck): SavedDocument {
  const kind = Object.entries(kinds).find(([format]) => format === formatOf(document))?.[1];
  if (kind === undefined)
    throw otherFormat(document, `${file} is not a plan, drift or apply document of this version`);
  const isSaved = isRecord(document) && 'overview' in document;
  const rest = verified(document, isSaved ? 'savedPlan' : kind, { file, check });
  if (kind === 'diagnostics')
    return { ...(rest as unknown as Extract<SavedDocument, { kind: 'diagnostics' }>), kind };
  const [plan, risks] = [planOf(rest), rest.risks as readonly Risk[] | undefined];
  if (kind !== 'apply') return { kind, plan, risks };
  const changes = rest.changes as readonly AppliedChange[];
  const planned = { ...plan, changes: changes.map(plannedChange) };
  return { kind, plan: planned, risks, result: { plan: planned, changes, diagnostics: [] } };
}

/** A printed document has no overview: only a saved plan contains who can read which state. */
function planOf({ format: _format, risks: _risks, scope, ...plan }: Record<string, unknown>): Plan {
  const overview = { workspaces: [], grants: [], scope: scope as Overview['scope'] };
  return { overview, ...plan } as unknown as Plan;
}

function verified(
  document: unknown,
  definition: string,
  { file, check }: { readonly file: string; readonly check: DocumentCheck },
): Record<string, unknown> {
  const { digest, ...rest } = document as Readonly<Record<string, unknown>>;
  if (definition !== 'diagnostics' && digest !== canonicalDigest(rest))
    throw unusable(`${file} was modified after it was saved: its digest does not match`, runAgain);
  refuseInvalid(
    definition === 'savedPlan' ? 'saved plan' : `${definition} document`,
    check(definition, document),
    file,
  );
  return rest;
}

function refuseInvalid(kind: string, errors: readonly string[], file: string): void {
  if (errors.length === 0) return;
  throw unusable(
    `${file} is not a valid ${kind}: ${errors.slice(0, 3).join('; ')}`,
    `${runAgain} with this version of Attune`,
  );
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = `${file} is not a complete document: it ends early or is not JSON`;
    throw unusable(message, `${useDocument}; if it is one, ${runAgain}`, { cause });
  }
}

function formatOf(document: unknown): string | undefined {
  return isRecord(document) && typeof document.format === 'string' ? document.format : undefined;
}

function otherFormat(document: unknown, message: string): AttuneError {
  const format = formatOf(document);
  const stated = format === undefined ? 'it has no format' : `its format is ${format.slice(0, 100)}`;
  return unusable(`${message}: ${stated}`, useDocument);
}

const useDocument = 'use a file that plan, drift or apply wrote with --out or --format json';
const runAgain = 'run the command that wrote it again';

function unusable(message: string, hint: string, options?: ErrorOptions): AttuneError {
  return new AttuneError(message, { code: 'bad-plan-file', hint, ...options });
}
