import { checkFacts } from '../apply/check-facts.ts';
import { AttuneError } from '../model/attune-error.ts';
import { DiagnosticsError } from '../model/diagnostics-error.ts';
import type { Plan } from '../model/plan.ts';
import { type ApplyFlags, applyPlanned } from './apply.ts';
import { checkJournal } from './files/check-journal.ts';
import { readPlanFile } from './files/saved-plan-file.ts';
import type { Io } from './io.ts';
import { allOrRefused, settled } from './organizations/all-or-refused.ts';
import { checkSame, readSettings, settingsFor } from './organizations/saved-settings.ts';
import { withConnections } from './organizations/with-connection.ts';
import { runSession } from './session/run-session.ts';

/**
 * Applies saved plans and nothing else, after a look at what they touch: where one object has moved on, nothing at all
 * is written.
 */
export function applySaved(
  file: string,
  roots: readonly string[],
  flags: ApplyFlags,
  io: Io,
): Promise<number> {
  return runSession(io, flags, 'apply', async (session) => {
    checkFlags(flags);
    await checkJournal(flags, io.cwd);
    const plans = await readPlanFile(file, io.cwd);
    const settings = await readSettings(roots, session);
    const configurations = plans.map((plan) => settingsFor({ what: 'plan', ...plan }, settings, io.cwd));
    return withConnections(configurations, session, async (connections) => {
      session.progress.begin(
        `${plans.map(({ organization }) => organization).join(', ')}: checking the plan`,
      );
      const planned = await allOrRefused(configurations, session, async (configuration, index) => {
        const plan = plans[index] as Plan;
        const connection = settled(connections[index]);
        checkSame({ what: 'plan', ...plan }, configuration, connection);
        const readAt = io.clock.now();
        const moved = await checkFacts(plan, connection.client);
        if (moved.length > 0) throw new DiagnosticsError(moved);
        return { configuration, connection, plan, readAt };
      });
      session.progress.end();
      return await applyPlanned(planned, session, flags);
    });
  });
}

/** A saved plan is applied as it was reviewed: what is chosen and allowed was settled when it was made. */
function checkFlags({ only = [], maxDeletes }: ApplyFlags): void {
  const flag = only.length > 0 ? '--only' : maxDeletes !== undefined ? '--max-deletes' : undefined;
  if (flag === undefined) return;
  throw new AttuneError(`${flag} does not go with --plan: a saved plan is applied whole`, {
    code: 'usage',
    hint: `give ${flag} to \`attune plan --out\``,
  });
}
