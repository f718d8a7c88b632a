import { planDocument } from '../plan/plan-document.ts';
import { renderPlanText } from '../report/plan-text.ts';
import type { CommonFlags } from './flags.ts';
import type { Io } from './io.ts';
import { limitErrors, printDocuments } from './results.ts';
import { createSession, tell } from './session.ts';
import { withPlans } from './with-plans.ts';

export interface PlanFlags extends CommonFlags {
  readonly detailedExitcode?: boolean;
}

/** Shows what apply would do. */
export async function plan(roots: readonly string[], flags: PlanFlags, io: Io): Promise<number> {
  const session = createSession(io, flags);
  return withPlans(roots, session, {}, (planned) => {
    if (flags.format === 'json') {
      printDocuments(
        session,
        planned.map(({ plan }) => planDocument(plan, 'attune.plan/1')),
      );
    } else {
      const texts = planned.map(({ plan }) => renderPlanText(plan, session.console.paint));
      session.console.result(texts.join('\n'));
    }
    const refused = limitErrors(planned);
    if (flags.format === 'text') for (const one of refused) tell(session, one);
    if (refused.length > 0) return 1;
    const differs = planned.some(({ plan }) => plan.changes.length > 0);
    return differs && flags.detailedExitcode ? 2 : 0;
  });
}
