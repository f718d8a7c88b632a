import type { ApplyResult } from '../model/apply-result.ts';
import type { Plan } from '../model/plan.ts';
import { counted } from '../model/text.ts';
import { escapeControls } from '../report/escape-controls.ts';
import { plain } from '../report/paint.ts';
import { appliedSummary } from '../report/summaries.ts';
import { resultText } from '../report/text/text.ts';
import type { WriteDetail } from './io.ts';

/** How far an apply has come. */
export interface ApplyProgress {
  readonly plans: readonly Plan[];
  /** Of the plans that are applied, in their order. The plan after the last one is being applied. */
  readonly results: ApplyResult[];
  /** The calls of that plan that the service has confirmed. */
  callsDone: number;
}

/** States what an apply has written to the service. */
export function describeApply({ plans, results, callsDone }: ApplyProgress, detail: WriteDetail): string {
  const texts = plans.map((plan, index) => {
    const organization = escapeControls(plan.organization);
    const result = results[index];
    if (result) {
      if (detail === 'figures' || result.changes.length === 0)
        return `${organization}: ${appliedSummary(result)}`;
      const entry = { plan, result, diagnostics: [], path: (file: string) => file };
      const text = resultText({ kind: 'apply', entries: [entry] }, { paint: plain });
      return `${organization}:\n${text.trimEnd()}`;
    }
    if (index > results.length || plan.changes.length === 0) return `${organization}: not attempted`;
    const calls = `${callsDone} of ${counted(plan.summary.calls, 'call')}`;
    return `${organization}: ${calls} confirmed by the service; a call that was under way may have taken effect`;
  });
  return `${texts.join('\n')}\n`;
}
