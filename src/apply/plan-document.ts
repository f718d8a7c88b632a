import { driftRisksOf, type Risk, risksOf } from '../check/risks.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan, PlannedChange } from '../model/plan.ts';
import { canonicalDigest } from '../model/value.ts';

export const driftFormat = 'attune.drift/1';

const printed = [
  ...[
    'organization',
    'address',
    'dialect',
    'undo',
    'at',
    'hypothetical',
    'due',
    'freezeOverridden',
    'summary',
  ],
  ...['risks', 'changes', 'unmanaged', 'undeclaredAccess', 'scope', 'diagnostics', 'policies', 'base'],
  ...['noLongerDeclared', 'effects'],
];

export function documentOfPlan(
  plan: Plan,
  format: string,
  risks: readonly Risk[] = format === driftFormat ? driftRisksOf(plan) : risksOf(plan),
): Record<string, unknown> {
  const members: Record<string, unknown> = {
    ...plan,
    risks,
    changes: plan.changes.map(printedChange),
    scope: plan.overview.scope,
    diagnostics: plan.diagnostics.map(printedDiagnostic),
  };
  const shown = printed.filter((key) => members[key] !== undefined);
  return withDigest({ format, ...Object.fromEntries(shown.map((key) => [key, members[key]])) });
}

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
