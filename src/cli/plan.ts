import { hasErrors } from '../model/diagnostic.ts';
import { emit, entryOf } from './emit.ts';
import type { CommonFlags } from './flags.ts';
import type { Io } from './io.ts';
import { runSession } from './run-session.ts';
import { withPlans } from './with-plans.ts';

export interface PlanFlags extends CommonFlags {
  readonly detailedExitcode?: boolean;
}

/** Shows what apply would do. */
export function plan(roots: readonly string[], flags: PlanFlags, io: Io): Promise<number> {
  return runSession(io, flags, 'plan', (session) =>
    withPlans(roots, session, { kind: 'plan' }, async (planned) => {
      const entries = planned.map(({ configuration, plan }) =>
        entryOf(session, configuration.folder, { plan, diagnostics: plan.diagnostics }),
      );
      await emit(session, { kind: 'plan', entries });
      // Limits that are passed stand below the plan that passes them.
      if (entries.some(({ diagnostics }) => hasErrors(diagnostics))) return 1;
      const differs = planned.some(({ plan }) => plan.changes.length > 0);
      return differs && flags.detailedExitcode ? 2 : 0;
    }),
  );
}
