import type { RunJournal } from '../apply/journal/parse-journal.ts';
import type { Configuration } from '../desired/configuration.ts';
import { serviceSource } from '../live/live-source.ts';
import { AttuneError } from '../model/attune-error.ts';
import type { Plan } from '../model/plan.ts';
import { makePlan } from '../plan/make-plan.ts';
import { readTouched } from '../undo/read-touched.ts';
import { undoConfiguration } from '../undo/undo-configuration.ts';
import { type ApplyFlags, applyPlanned } from './apply.ts';
import { commandLine, sourceWords } from './command-line.ts';
import { checkJournal } from './files/check-journal.ts';
import { readJournalFile } from './files/journal-file.ts';
import { writablePath } from './files/report-files.ts';
import { readPlanFile } from './files/saved-plan-file.ts';
import type { Io } from './io.ts';
import { allOrRefused, settled } from './organizations/all-or-refused.ts';
import { planAgain } from './organizations/plan-again.ts';
import { checkSame, readSettings, settingsFor } from './organizations/saved-settings.ts';
import { withConnections } from './organizations/with-connection.ts';
import { type Planned, requireMatches } from './organizations/with-plans.ts';
import { givePlans, type PlanFlags } from './plan.ts';
import { runSession } from './session/run-session.ts';
import type { Session } from './session/session.ts';

export type UndoFlags = Omit<ApplyFlags, 'trustPlan'> &
  Pick<PlanFlags, 'out' | 'detailedExitcode'> & {
    /** Deletes workspaces that the run created although they manage resources. */
    readonly force?: boolean;
  };

/**
 * Plans the way back from a journal, shows the plan, asks, applies it. With `--out` or `--detailed-exitcode` it ends
 * with the plan, as `plan` does; so it does where nobody has said yes and nobody is there to ask.
 */
export function undo(file: string, roots: readonly string[], flags: UndoFlags, io: Io): Promise<number> {
  const endsWithPlan = flags.out !== undefined || flags.detailedExitcode === true;
  const isUnasked = flags.yes !== true && !io.canAsk;
  const plansOnly = endsWithPlan || isUnasked;
  return runSession(io, flags, plansOnly ? 'plan' : 'apply', async (session) => {
    checkFlags(flags, endsWithPlan);
    if (flags.out !== undefined) await writablePath('--out', flags.out, io.cwd);
    await checkJournal(flags, io.cwd);
    const runs = await readJournalFile(file, io.cwd);
    const saved = flags.plan === undefined ? undefined : await readPlanFile(flags.plan, io.cwd);
    if (saved) checkSaved(saved, runs);
    const settings = await readSettings(roots, session);
    const configurations = runs.map((run) => settingsFor({ what: 'journal', ...run }, settings, io.cwd));
    for (const [index, run] of runs.entries()) checkAddress(run, configurations[index], session);
    return withConnections(configurations, session, async (connections) => {
      session.progress.begin(
        `${runs.map(({ organization }) => organization).join(', ')}: reading what was touched`,
      );
      const planned = await allOrRefused(configurations, session, (configuration, index) =>
        planBack(
          runs[index] as RunJournal,
          { configuration, connection: settled(connections[index]), force: flags.force === true },
          session,
          saved?.[index],
        ),
      );
      session.progress.end();
      requireMatches(flags.only, planned);
      const isDone = planned.every(({ plan }) => plan.changes.length === 0);
      if (isDone) {
        session.console.say('Nothing to undo: what the run changed is as it was, or has moved on since.');
      }
      const code = plansOnly
        ? await givePlans(planned, session, { ...flags, roots, command: ['attune', 'undo', file] })
        : await applyPlanned(planned, session, flags);
      if (isUnasked && !endsWithPlan && !isDone)
        session.console.say(`Nothing was written: ${wayBack(file, roots, flags)} goes this way back.`);
      return code === 0 && planned.some(hasConflicts) ? 1 : code;
    });
  });
}

function wayBack(file: string, roots: readonly string[], flags: UndoFlags): string {
  return commandLine([
    'attune',
    'undo',
    file,
    ...sourceWords(roots, flags),
    ...(flags.force ? ['--force'] : []),
    '--yes',
  ]);
}

function checkFlags({ yes, journal, plan, only = [] }: UndoFlags, endsWithPlan: boolean): void {
  if (plan !== undefined && only.length > 0) {
    throw new AttuneError('--only cannot be used with --plan: a saved plan is applied whole', {
      code: 'usage',
      hint: 'give --only to `attune undo --out`',
    });
  }
  const flag = yes
    ? '--yes'
    : journal !== undefined
      ? '--journal'
      : plan !== undefined
        ? '--plan'
        : undefined;
  if (!endsWithPlan || flag === undefined) return;
  throw new AttuneError(`${flag} does not go with --out and --detailed-exitcode: those end with the plan`, {
    code: 'usage',
    hint: `run \`attune undo\` with ${flag} and without them`,
  });
}

/** @throws {AttuneError} if the saved plans are not for the runs of the journal. */
function checkSaved(saved: readonly Plan[], runs: readonly RunJournal[]): void {
  const organizations = (of: readonly { readonly organization: string }[]) =>
    of.map(({ organization }) => organization).join(', ');
  if (organizations(saved) === organizations(runs)) return;
  throw new AttuneError(
    `the plan is for ${organizations(saved)}, and the journal is for ${organizations(runs)}`,
    { code: 'other-plan', hint: 'give the plan that `attune undo --out` saved for this journal' },
  );
}

/** The journal was written by whoever ran the apply. Who gets the token now is for the one who runs this to state. */
function checkAddress(
  { address }: RunJournal,
  configuration: Configuration | undefined,
  { io, flags }: Session,
): void {
  if (flags.address || io.env.ATTUNE_ADDRESS || configuration?.service.address) return;
  throw new AttuneError(
    `the journal is of ${address}, and nothing else names that address: a journal does not say who gets the token`,
    { code: 'no-address', hint: `say --address ${address}, or set ATTUNE_ADDRESS` },
  );
}

async function planBack(
  run: RunJournal,
  {
    configuration: settings,
    connection,
    force,
  }: Pick<Planned, 'configuration' | 'connection'> & { readonly force: boolean },
  { flags, io }: Session,
  saved: Plan | undefined,
): Promise<Planned> {
  checkSame({ what: 'journal', ...run }, settings, connection);
  const readAt = io.clock.now();
  const touched = await readTouched(run, connection.client);
  const { configuration, live } = undoConfiguration(run, touched, settings, {
    deleteMode: force ? 'force' : 'safe',
    missing: connection.client.capabilities.missing(),
  });
  const { client } = connection;
  const makeIt = () =>
    makePlan(configuration, {
      source: { ...serviceSource(client), read: async () => live },
      address: connection.address,
      only: flags.only ?? [],
      ...(saved && { addresses: new Set(saved.changes.map(({ address }) => address)) }),
      ...(flags.maxDeletes !== undefined && { maxDeletes: flags.maxDeletes }),
    });
  const plan = saved
    ? await planAgain({ saved, source: 'journal', client, configuration, plan: makeIt })
    : await makeIt();
  return { configuration, connection, plan, readAt };
}

/** What somebody has changed since stays: then not all is undone. */
function hasConflicts({ plan }: Planned): boolean {
  return plan.diagnostics.some(({ code }) => code === 'undo-conflict');
}
