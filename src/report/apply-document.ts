import type { ApplyResult } from '../model/apply-result.ts';
import { printedChange, printedDiagnostic, withDigest } from '../plan/plan-document.ts';

/** The apply document (contract, section 5): the plan with what became of each change. */
export function applyDocument({ plan, changes, diagnostics }: ApplyResult): Record<string, unknown> {
  const { organization, address, dialect, summary, unmanaged, effects } = plan;
  return withDigest({
    format: 'attune.apply/1',
    organization,
    address,
    dialect,
    summary,
    changes: changes.map(printedChange),
    unmanaged,
    diagnostics: [...plan.diagnostics, ...diagnostics].map(printedDiagnostic),
    effects,
  });
}
