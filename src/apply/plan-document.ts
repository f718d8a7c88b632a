import { driftRisksOf, risksOf } from '../check/risks.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan, PlannedChange } from '../model/plan.ts';
import { canonicalDigest } from '../model/value.ts';

/** The format of a printed drift report. */
export const driftFormat = 'attune.drift/1';

/** The plan as it is printed: with its format, without what only apply needs, with its digest. */
export function documentOfPlan(plan: Plan, format: string): Record<string, unknown> {
  const {
    organization,
    address,
    dialect,
    undo,
    at,
    hypothetical,
    due,
    freezeOverridden,
    summary,
    changes,
    unmanaged,
    undeclaredAccess,
    diagnostics,
    policies,
    base,
    noLongerDeclared,
    effects,
  } = plan;
  const risks = format === driftFormat ? driftRisksOf(plan) : risksOf(plan);
  return withDigest({
    format,
    organization,
    address,
    dialect,
    ...(undo && { undo }),
    ...(at !== undefined && { at }),
    ...(hypothetical && { hypothetical }),
    ...(due && { due }),
    ...(freezeOverridden !== undefined && { freezeOverridden }),
    summary,
    risks,
    changes: changes.map(printedChange),
    unmanaged,
    ...(undeclaredAccess && { undeclaredAccess }),
    scope: plan.overview.scope,
    diagnostics: diagnostics.map(printedDiagnostic),
    ...(policies && { policies }),
    ...(base && { base }),
    ...(noLongerDeclared && { noLongerDeclared }),
    effects,
  });
}

/** A change without what only apply needs; other members of a longer type stay. */
function printedChange<Printed extends PlannedChange>({
  facts: _facts,
  declared: _declared,
  nextFreeze: _next,
  ...change
}: Printed): Omit<Printed, 'facts' | 'declared' | 'nextFreeze'> {
  return change;
}

export function printedDiagnostic({ sourceLine: _line, ...diagnostic }: Diagnostic): Diagnostic {
  return diagnostic;
}

/** Adds the SHA-256 of the canonical document. It detects accidental edits, not forgery. */
export function withDigest(document: Record<string, unknown>): Record<string, unknown> {
  return { ...document, digest: canonicalDigest(document) };
}
