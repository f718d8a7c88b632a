import { checkCalls } from '../apply/check-calls.ts';
import { checkConsumerNames, checkFacts, checkOrganization } from '../apply/check-saved-plan.ts';
import { AttuneError, DiagnosticsError } from '../model/attune-error.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import { type ApplyFlags, applyPlanned } from './apply.ts';
import { commandLine } from './command-line.ts';
import { checkJournal } from './files/check-journal.ts';
import { readPlanFile } from './files/saved-plan-file.ts';
import type { Io } from './io.ts';
import { allOrRefused, settled } from './organizations/all-or-refused.ts';
import { bareConfiguration } from './organizations/bare-configuration.ts';
import { planAgain } from './organizations/plan-again.ts';
import { withAliasesOf } from './organizations/saved-names.ts';
import { checkSame, configurationsOf, hasConfiguration } from './organizations/saved-settings.ts';
import { withConnections } from './organizations/with-connection.ts';
import { withPlans } from './organizations/with-plans.ts';
import { runSession } from './session/run-session.ts';
import type { Session } from './session/session.ts';

/**
 * Applies what saved plans show. The calls come from the configuration files: they are planned again for the addresses
 * of the saved plans, and any difference refuses all of it. Without files, `--trust-plan` sends the saved calls.
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
    if (await hasConfiguration(roots, session)) return applyAgain(plans, roots, session, flags);
    if (flags.trustPlan) return applyTrusted(plans, session, flags);
    throw new AttuneError(`cannot apply ${file}: there are no configuration files to plan it from again`, {
      code: 'no-files',
      hint: `name the root files (${commandLine(['attune', 'apply', 'attune.yaml', '--plan', file])}), or give --trust-plan to send the calls of the plan file as they are`,
    });
  });
}

function applyAgain(
  plans: readonly Plan[],
  roots: readonly string[],
  session: Session,
  flags: ApplyFlags,
): Promise<number> {
  return withPlans(roots, session, (planned) => applyPlanned(planned, session, flags), {
    saved: {
      pick: (loaded) => configurationsOf(plans, loaded),
      at: (index, connection) => {
        const saved = plans[index] as Plan;
        const { client } = connection;
        return {
          addresses: new Set(saved.changes.map(({ address }) => address)),
          named: async (configuration) => {
            checkSame({ what: 'plan', ...saved }, configuration, connection);
            return withAliasesOf(saved, configuration, client);
          },
          compared: (configuration, plan) =>
            planAgain({ saved, source: 'files', client, configuration, plan }),
        };
      },
    },
  });
}

/** Sends the saved calls after a look at what they touch: one object that has changed refuses all of it. */
function applyTrusted(plans: readonly Plan[], session: Session, flags: ApplyFlags): Promise<number> {
  const { io, progress } = session;
  const configurations = plans.map(({ organization }) => bareConfiguration(organization, io.cwd));
  return withConnections(configurations, session, async (connections) => {
    progress.begin(`${plans.map(({ organization }) => organization).join(', ')}: checking the plan`);
    const planned = await allOrRefused(configurations, session, async (configuration, index) => {
      const saved = plans[index] as Plan;
      const plan = { ...saved, diagnostics: saved.diagnostics.map(withoutPlace) };
      const connection = settled(connections[index]);
      checkSame({ what: 'plan', ...plan }, configuration, connection);
      const readAt = io.clock.now();
      refuse(checkCalls(plan));
      const { client } = connection;
      const checks = [checkFacts, checkOrganization, checkConsumerNames];
      refuse((await Promise.all(checks.map((check) => check(plan, client)))).flat().map(withoutPlace));
      return { configuration, connection, plan, readAt };
    });
    progress.end();
    return applyPlanned(planned, session, flags);
  });
}

function refuse(diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.length > 0) throw new DiagnosticsError(diagnostics);
}

/** The files that the plan file names are not there, or are other files. */
function withoutPlace({ location: _location, ...diagnostic }: Diagnostic): Diagnostic {
  return diagnostic;
}

/** A saved plan is applied whole: what it covers was chosen when it was made. */
function checkFlags({ only = [] }: ApplyFlags): void {
  if (only.length === 0) return;
  throw new AttuneError('--only cannot be used with --plan: a saved plan is applied whole', {
    code: 'usage',
    hint: 'give --only to `attune plan --out`',
  });
}
