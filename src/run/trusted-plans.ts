import { planAgainHint } from '../apply/changed-since-plan.ts';
import { checkCalls } from '../apply/check-calls.ts';
import {
  checkConsumerNames,
  checkDestroyTimes,
  checkFacts,
  checkOrganization,
} from '../apply/check-saved-plan.ts';
import type { Configuration } from '../desired/configuration.ts';
import { DiagnosticsError } from '../model/attune-error.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import { momentOf } from '../model/time.ts';
import { allOrRefused } from './all-or-refused.ts';
import type { Connections } from './connect.ts';
import type { RunContext } from './context.ts';
import { withClockWarning } from './plan-options.ts';
import type { Planned } from './plan-roots.ts';
import { checkSavedPlans } from './saved-report.ts';
import { checkSame } from './saved-settings.ts';

/**
 * Checks saved plans against the live objects that they change, before their calls are sent unchanged.
 *
 * @throws {RefusedError} if an object has changed since a plan was saved.
 */
export async function checkTrusted(
  saved: readonly Plan[],
  configurations: readonly Configuration[],
  connections: Connections,
  context: RunContext,
): Promise<readonly Planned[]> {
  const { io, progress } = context;
  const unplaced = saved.map((plan) => ({ ...plan, diagnostics: plan.diagnostics.map(withoutPlace) }));
  const checked = await checkSavedPlans(unplaced, context);
  progress.begin(`${saved.map(({ organization }) => organization).join(', ')}: checking the plan`);
  const planned = await allOrRefused(configurations, context, async (configuration, index) => {
    const plan = checked[index] as Plan;
    const connection = connections.at(index);
    checkSame({ what: 'plan', ...plan }, configuration, connection);
    const readAt = io.clock.now();
    refuse(checkCalls(plan));
    refuse(endedHolds(plan, io.date()).map(withoutPlace));
    const { client } = connection;
    const checks = [checkFacts, checkOrganization, checkConsumerNames, checkDestroyTimes];
    refuse((await Promise.all(checks.map((check) => check(plan, client)))).flat().map(withoutPlace));
    return { configuration, connection, plan: withClockWarning(plan, client), readAt };
  });
  progress.end();
  return planned;
}

/** Without files, a saved plan shows what held it then: what has ended since was not reviewed. */
function endedHolds({ changes }: Plan, now: Date): Diagnostic[] {
  return changes.flatMap(({ address, held = [] }) =>
    held.flatMap(({ by, until }): Diagnostic[] => {
      const end = until === undefined ? undefined : momentOf(until);
      if (end === undefined || end.time > now.getTime()) return [];
      return [
        {
          severity: 'error',
          code: 'plan-differs',
          message: `the plan file is out of date: ${address} was held by ${by} until ${until}`,
          address,
          hint: planAgainHint,
        },
      ];
    }),
  );
}

function refuse(diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.length > 0) throw new DiagnosticsError(diagnostics);
}

/** Removes locations: the files of the plan do not exist here or may be other files. */
function withoutPlace({ location: _location, ...diagnostic }: Diagnostic): Diagnostic {
  return diagnostic;
}
