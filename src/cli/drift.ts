import { planDocument } from '../plan/plan-document.ts';
import { hasDrift, renderDriftText } from '../report/drift-text.ts';
import type { CommonFlags } from './flags.ts';
import type { Io } from './io.ts';
import { printDocuments } from './results.ts';
import { createSession } from './session.ts';
import { withPlans } from './with-plans.ts';

/** Reports what is live and not as declared; never writes. */
export async function drift(roots: readonly string[], flags: CommonFlags, io: Io): Promise<number> {
  const session = createSession(io, flags);
  return withPlans(roots, session, { reportScope: true }, (planned) => {
    if (flags.format === 'json') {
      printDocuments(
        session,
        planned.map(({ plan }) => planDocument(plan, 'attune.drift/1')),
      );
    } else {
      const texts = planned.map(({ plan }) => renderDriftText(plan, session.console.paint));
      session.console.result(texts.join('\n'));
    }
    return planned.some(({ plan }) => hasDrift(plan)) ? 2 : 0;
  });
}
