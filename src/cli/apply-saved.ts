import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { checkFacts } from '../apply/check-facts.ts';
import type { Configuration } from '../desired/configuration.ts';
import { AttuneError } from '../model/attune-error.ts';
import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import { DiagnosticsError } from '../model/diagnostics-error.ts';
import type { Plan } from '../model/plan.ts';
import type { ReportEntry } from '../report/report.ts';
import { type ApplyFlags, applyPlanned } from './apply.ts';
import { bareConfiguration } from './bare-configuration.ts';
import { checkJournal } from './check-journal.ts';
import { type Connection, connect } from './connect.ts';
import { entryOf } from './emit.ts';
import type { Io } from './io.ts';
import { loadRoots } from './load-roots.ts';
import { RefusedError } from './refused-error.ts';
import { runSession } from './run-session.ts';
import { readPlanFile } from './saved-plan-file.ts';
import type { Session } from './session.ts';
import type { Planned } from './with-plans.ts';

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
    const connections: Connection[] = [];
    try {
      const planned: Planned[] = [];
      const moved: ReportEntry[] = [];
      for (const plan of plans) {
        const configuration = settingsFor(plan, settings, io.cwd);
        const connection = await connect(configuration, { ...session, observe: session.progress.observe });
        connections.push(connection);
        checkSame(plan, configuration, connection);
        const readAt = io.clock.now();
        const diagnostics = await checkPlan(plan, connection, session);
        if (diagnostics.length > 0) moved.push(entryOf(session, configuration.folder, { diagnostics }));
        planned.push({ configuration, connection, plan, readAt });
      }
      if (moved.length > 0) throw new RefusedError(moved);
      return await applyPlanned(planned, session, flags);
    } finally {
      session.progress.end();
      for (const connection of connections) await connection.close();
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

async function checkPlan(
  plan: Plan,
  { client }: Connection,
  { progress }: Session,
): Promise<readonly Diagnostic[]> {
  progress.begin(`${plan.organization}: checking the plan`);
  const moved = await checkFacts(plan, client);
  progress.end();
  return moved;
}
