import type { ApplyResult } from '../model/apply-result.ts';
import { planDocument } from '../plan/plan-document.ts';

/** The apply document: the plan with what became of each change, and with what was noticed on the way. */
export function applyDocument({ plan, changes, diagnostics }: ApplyResult): Record<string, unknown> {
  return planDocument(
    { ...plan, changes, diagnostics: [...plan.diagnostics, ...diagnostics] },
    'attune.apply/1',
  );
}
