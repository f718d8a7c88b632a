import { printedDiagnostic, withDigest } from '../apply/plan-document.ts';
import type { AppliedChange, ApplyResult } from '../model/apply-result.ts';
import { AttuneError } from '../model/attune-error.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan, ScopeReading } from '../model/plan.ts';
import { canonicalDigest, isRecord, isTexts } from '../model/value.ts';

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

/**
 * The text of a plan file: the printed document of each plan, with the facts of each change and the overview
 * for reports. It contains no secrets.
 *
 * @param roots The root file of each plan, which reports show if there are several.
 */
export function savePlans(plans: readonly Plan[], roots: readonly string[] = []): string {
  const documents = plans.map((plan) =>
    withDigest({ format: planFormat, ...plan, diagnostics: plan.diagnostics.map(printedDiagnostic) }),
  );
  const [first] = documents;
  const document =
    documents.length === 1
      ? first
      : { format: listFormat, ...(isOnePerPlan(roots, plans) && { roots }), plans: documents };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** An undo without root files has the same file for several plans. */
function isOnePerPlan(roots: readonly string[], plans: readonly Plan[]): boolean {
  return new Set(roots).size === plans.length && plans.length > 0;
}

/** A plan of a plan file. */
export interface SavedPlan extends Plan {
  /** The root file, if the file has several plans and names it. */
  readonly root?: string;
}

/**
 * Reads a plan file.
 *
 * @param check validates the file against the published schema
 * @throws {AttuneError} if the file is incomplete, was edited, or has another version.
 */
export function parsePlans(
  text: string,
  file: string,
  check: (document: unknown) => readonly string[],
): SavedPlan[] {
  const again = 'save the plan again with `attune plan --out`';
  const document = parseJson(text, `${file} is not a complete plan file`, again);
  const { plans: documents, roots } =
    isRecord(document) && document.format === listFormat ? document : { plans: [document] };
  if (!Array.isArray(documents)) throw notAPlan(file, document);
  return documents.map((one: unknown, index) => {
    if (!isRecord(one) || one.format !== planFormat) throw notAPlan(file, one);
    const { format: _format, ...plan } = withoutDigest(one, file, again);
    const errors = check(one);
    const root = isTexts(roots) ? roots[index] : undefined;
    if (errors.length === 0) return { ...(plan as unknown as Plan), ...(root !== undefined && { root }) };
    const why = errors.slice(0, 3).join('; ');
    throw unusable(`${file} is not a plan that can be applied: ${why}`, `${again} of this version of Attune`);
  });
}

function notAPlan(file: string, document: unknown): AttuneError {
  return unusable(
    `${file} is not a plan file of this version (${planFormat}): ${formatText(document)}`,
    'use a file that `attune plan --out` wrote',
  );
}

const runAgain = 'run the command that wrote it again';

/**
 * Reads the documents of a file that `plan --out`, or `plan`, `drift` or `apply` with `--format json`, wrote.
 *
 * @throws {AttuneError} if the file is incomplete, was edited, or has another format.
 */
export function parseDocuments(text: string, file: string, check: DocumentCheck): readonly SavedDocument[] {
  const document = parseJson(text, `${file} is not a complete document`, runAgain);
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
  if (!isRecord(document) || !kind)
    throw unusable(
      `${file} is not a plan, drift or apply document of this version: ${formatText(document)}`,
      'use files that `attune plan --out`, or plan, drift or apply with --format json, wrote',
    );
  const { digest: _digest, ...unsigned } = document;
  const rest = kind === 'diagnostics' ? unsigned : withoutDigest(document, file, runAgain);
  refuseInvalid(kind, check('overview' in rest ? 'savedPlan' : kind, document), file);
  const plan = planOf(rest);
  switch (kind) {
    case 'diagnostics':
      return { ...(rest as unknown as DiagnosticsPart), kind };
    case 'apply': {
      const changes = rest.changes as readonly AppliedChange[];
      return { kind, plan, result: { plan, changes, diagnostics: [] } };
    }
    default:
      return { kind, plan };
  }
}

/** @throws {AttuneError} if there are errors. */
function refuseInvalid(kind: string, errors: readonly string[], file: string): void {
  if (errors.length === 0) return;
  throw unusable(
    `${file} is not a valid ${kind} document: ${errors.slice(0, 3).join('; ')}`,
    `${runAgain} with this version of Attune`,
  );
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

/** @throws {AttuneError} if the text is not JSON. */
function parseJson(text: string, problem: string, hint: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unusable(`${problem}: it ends early or is not JSON`, hint, cause);
  }
}

/** @throws {AttuneError} if the digest does not match. */
function withoutDigest(
  { digest, ...rest }: Readonly<Record<string, unknown>>,
  file: string,
  hint: string,
): Record<string, unknown> {
  if (digest === canonicalDigest(rest)) return rest;
  throw unusable(`${file} was modified after it was saved: its digest does not match`, hint);
}

function formatText(document: unknown): string {
  const format = isRecord(document) ? document.format : undefined;
  return typeof format === 'string' ? `its format is ${format.slice(0, 100)}` : 'it has no format';
}

/** A file that is incomplete, edited, of another version, or not such a document. */
function unusable(message: string, hint: string, cause?: unknown): AttuneError {
  return new AttuneError(message, { code: 'bad-plan-file', hint, ...(cause !== undefined && { cause }) });
}
