import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { checkFacts } from '../apply/check-facts.ts';
import type { Configuration } from '../desired/configuration.ts';
import { AttuneError } from '../model/attune-error.ts';
import { hasErrors } from '../model/diagnostic.ts';
import { DiagnosticsError } from '../model/diagnostics-error.ts';
import type { Plan } from '../model/plan.ts';
import { allOrRefused, settled } from './all-or-refused.ts';
import { type ApplyFlags, applyPlanned } from './apply.ts';
import { bareConfiguration } from './bare-configuration.ts';
import { checkJournal } from './check-journal.ts';
import { type Connection, closeAll, connectAll } from './connect.ts';
import type { Io } from './io.ts';
import { loadRoots } from './load-roots.ts';
import { runSession } from './run-session.ts';
import { readPlanFile } from './saved-plan-file.ts';
import type { Session } from './session.ts';

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
    const configurations = plans.map((plan) => settingsFor(plan, settings, io.cwd));
    const connections = await connectAll(configurations, { ...session, observe: session.progress.observe });
    try {
      session.progress.begin(
        `${plans.map(({ organization }) => organization).join(', ')}: checking the plan`,
      );
      const planned = await allOrRefused(configurations, session, async (configuration, index) => {
        const plan = plans[index] as Plan;
        const connection = settled(connections[index]);
        checkSame(plan, configuration, connection);
        const readAt = io.clock.now();
        const moved = await checkFacts(plan, connection.client);
        if (moved.length > 0) throw new DiagnosticsError(moved);
        return { configuration, connection, plan, readAt };
      });
      session.progress.end();
      return await applyPlanned(planned, session, flags);
    } finally {
      session.progress.end();
      await closeAll(connections);
    }
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

/** The files tell how to reach the service. */
async function readSettings(roots: readonly string[], session: Session): Promise<readonly Configuration[]> {
  const { io, flags } = session;
  const isNamed = roots.length > 0 || flags.app !== undefined;
  if (!isNamed && !(await stat(join(io.cwd, 'attune.yaml')).catch(() => undefined))) return [];
  const loaded = await loadRoots(roots, session);
  if (hasErrors(loaded.diagnostics)) throw new DiagnosticsError(loaded.diagnostics);
  return loaded.configurations;
}

function settingsFor(plan: Plan, settings: readonly Configuration[], cwd: string): Configuration {
  const own = settings.find(({ desired }) => desired.organization === plan.organization);
  if (own) return own;
  if (settings.length > 0) {
    const organizations = settings.map(({ desired }) => desired.organization).join(', ');
    throw refused(
      `the plan is for the organization ${plan.organization}, and the files are for ${organizations}`,
    );
  }
  // A plan file does not say who gets the token: without files --address or ATTUNE_ADDRESS does.
  return bareConfiguration(plan.organization, cwd);
}

function checkSame(plan: Plan, { service }: Configuration, { address }: Connection): void {
  if (address !== plan.address)
    throw refused(`the plan is for ${plan.address}, and this run is for ${address}`);
  if (service.dialect && service.dialect !== plan.dialect) {
    throw refused(`the plan is in the ${plan.dialect} dialect, and the files say ${service.dialect}`);
  }
}

function refused(message: string): AttuneError {
  return new AttuneError(message, {
    code: 'other-plan',
    hint: 'apply it where it was made for, or plan again; nothing was written',
  });
}
