import { hasDrift } from '../report/drift-text.ts';
import { emit, entryOf } from './emit.ts';
import type { CommonFlags } from './flags.ts';
import type { Io } from './io.ts';
import { runSession } from './run-session.ts';
import { withPlans } from './with-plans.ts';

/** Reports what is live and not as declared; never writes. */
export function drift(roots: readonly string[], flags: CommonFlags, io: Io): Promise<number> {
  return runSession(io, flags, 'drift', (session) =>
    withPlans(roots, session, { kind: 'drift', reportScope: true }, async (planned) => {
      const entries = planned.map(({ configuration, plan }) =>
        entryOf(session, configuration.folder, { plan, diagnostics: plan.diagnostics }),
      );
      await emit(session, { kind: 'drift', entries });
      return planned.some(({ plan }) => hasDrift(plan)) ? 2 : 0;
    }),
  );
}
