import { AttuneError } from '../model/attune-error.ts';
import type { Plan } from '../model/plan.ts';
import { isRecord } from '../model/value.ts';
import { canonicalDigest, printedDiagnostic, withDigest } from './plan-document.ts';

const format = 'attune.plan/1';
const listFormat = 'attune.plans/1';

/** A plan file that cannot be used: it is incomplete, edited, of another version, or for another configuration. */
export class SavedPlanError extends AttuneError {
  override readonly name = 'SavedPlanError';
  override readonly code = 'bad-plan-file';
}

/**
 * The text of a plan file: the printed document of each plan, with the facts of each change and the overview
 * for reports. It contains no secrets.
 *
 * @param roots The root file of each plan, which reports show if there are several.
 */
export function savePlans(plans: readonly Plan[], roots: readonly string[] = []): string {
  const documents = plans.map((plan) =>
    withDigest({ format, ...plan, diagnostics: plan.diagnostics.map(printedDiagnostic) }),
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

/**
 * Reads a plan file.
 *
 * @param check validates the file against the published schema
 * @throws {SavedPlanError} if the file is incomplete, was edited, or has another version.
 */
export function parsePlans(
  text: string,
  file: string,
  check: (document: unknown) => readonly string[],
): Plan[] {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw new SavedPlanError(`${file} is not a complete plan file: it ends early or is not JSON`, {
      cause,
      hint: 'save the plan again with `attune plan --out`',
    });
  }
  if (!isRecord(document)) throw notAPlan(file, undefined);
  const documents = document.format === listFormat ? document.plans : [document];
  if (!Array.isArray(documents)) throw notAPlan(file, document.format);
  return documents.map((one: unknown) => parsePlan(one, file, check));
}

function parsePlan(document: unknown, file: string, check: (document: unknown) => readonly string[]): Plan {
  if (!isRecord(document) || document.format !== format) {
    throw notAPlan(file, isRecord(document) ? document.format : undefined);
  }
  const { digest, ...rest } = document;
  if (digest !== canonicalDigest(rest)) {
    throw new SavedPlanError(`${file} was modified after it was saved: its digest does not match`, {
      hint: 'save the plan again with `attune plan --out`',
    });
  }
  const errors = check(document);
  if (errors.length > 0) {
    throw new SavedPlanError(`${file} is not a plan that can be applied: ${errors.slice(0, 3).join('; ')}`, {
      hint: 'save the plan again with `attune plan --out` of this version of Attune',
    });
  }
  const { format: _format, ...plan } = rest;
  return plan as unknown as Plan;
}

function notAPlan(file: string, found: unknown): SavedPlanError {
  const reason = typeof found === 'string' ? `its format is ${found.slice(0, 100)}` : 'it has no format';
  return new SavedPlanError(`${file} is not a plan file of this version (${format}): ${reason}`, {
    hint: 'use a file that `attune plan --out` wrote',
  });
}
