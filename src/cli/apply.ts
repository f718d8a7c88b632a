import { applyPlan } from '../apply/apply-plan.ts';
import type { Journal } from '../apply/journal/journal.ts';
import { openJournal } from '../apply/journal/open-journal.ts';
import type { ApplyResult } from '../model/apply-result.ts';
import { AttuneError } from '../model/attune-error.ts';
import { counted } from '../model/counted.ts';
import { hasErrors } from '../model/diagnostic.ts';
import type { ReportEntry } from '../report/report.ts';
import { resultText } from '../report/text/text.ts';
import { checkJournal } from './files/check-journal.ts';
import { writablePath } from './files/report-files.ts';
import type { CommonFlags } from './flags.ts';
import type { Interrupts, Io } from './io.ts';
import { type Planned, planEntries, withPlans } from './organizations/with-plans.ts';
import { emit, entryOf, refuse } from './session/emit.ts';
import { runSession } from './session/run-session.ts';
import type { Session } from './session/session.ts';

export interface ApplyFlags extends CommonFlags {
  readonly yes?: boolean;
  readonly plan?: string;
  readonly trustPlan?: boolean;
  readonly journal?: string;
}

/** Plans, shows the plan, asks, applies. */
export function apply(roots: readonly string[], flags: ApplyFlags, io: Io): Promise<number> {
  return runSession(io, flags, 'apply', async (session) => {
    if (flags.trustPlan) {
      throw new AttuneError('--trust-plan needs --plan', {
        code: 'usage',
        hint: 'name the saved plan with --plan',
      });
    }
    await checkJournal(flags, io.cwd);
    return withPlans(roots, session, (planned) => applyPlanned(planned, session, flags));
  });
}

/** Shows plans, asks where nobody has said yes yet, and applies them. */
export async function applyPlanned(
  planned: readonly Planned[],
  session: Session,
  { yes = false, journal }: Pick<ApplyFlags, 'yes' | 'journal'>,
): Promise<number> {
  const { io, console, flags } = session;
  const entries = planEntries(planned, session);
  const text = resultText({ kind: 'plan', entries }, { paint: console.paint });
  // The plan is what people decide on; other formats have it in what comes at the end.
  if (flags.format === 'text') console.result(text);
  if (entries.some(({ diagnostics }) => hasErrors(diagnostics))) return refuse(session, 'apply', entries);

  const changes = planned.reduce((sum, { plan }) => sum + plan.changes.length, 0);
  if (changes > 0 && !yes) {
    if (flags.format !== 'text') io.stderr.write(text);
    for (const { diagnostics, path } of entries) console.diagnostics(diagnostics, path);
    const problem = await confirm(session, changes);
    if (problem !== undefined) return problem;
  }
  return applyAll({ planned, entries, session, ...(journal !== undefined && { journal }) });
}

/** @returns the exit code where the answer is not yes. */
async function confirm(session: Session, changes: number): Promise<number | undefined> {
  const answer = await session.io.ask(`\nApply ${counted(changes, 'change')}? Only "yes" is a yes: `);
  if (answer?.trim() === 'yes') return undefined;
  const diagnostic =
    answer === undefined
      ? {
          message: 'apply needs a yes, and there is no terminal to ask on; nothing was written',
          hint: 'look at the plan first, then say it again with --yes',
        }
      : { message: 'not applied: the answer was not "yes"; nothing was written' };
  const diagnostics = [{ severity: 'error', code: 'not-confirmed', ...diagnostic } as const];
  return refuse(session, 'apply', [entryOf(session, session.io.cwd, { diagnostics })]);
}

interface Confirmed {
  readonly planned: readonly Planned[];
  readonly entries: readonly ReportEntry[];
  readonly session: Session;
  /** The file that takes the journal. */
  readonly journal?: string;
}

async function applyAll({ planned, entries, session, journal: file }: Confirmed): Promise<number> {
  const journal =
    file === undefined ? undefined : await openJournal(await writablePath('--journal', file, session.io.cwd));
  const interrupts = session.io.catchInterrupts();
  interrupts.stop.addEventListener('abort', () => tellStop(session), { once: true });
  try {
    const results: ApplyResult[] = [];
    for (const one of planned) results.push(await applyOne({ ...one, journal }, session, interrupts));
    const applied = entries.map((entry, index) => withResult(entry, planned[index], results[index], session));
    await emit(session, { kind: 'apply', entries: applied });
    const failed = results.some(({ changes }) => changes.some(({ result }) => result !== 'done'));
    if (file !== undefined && results.some(({ changes }) => changes.length > 0))
      session.console.say(`The way back: attune undo ${file}`);
    if (failed) session.console.say('Not all is done. What is done stays; run again for the rest.');
    return interrupts.exitCode() ?? (failed ? 1 : 0);
  } finally {
    interrupts.release();
    await journal?.close();
  }
}

function tellStop({ progress, console }: Session): void {
  progress.end();
  console.say(
    'Stopping: calls under way are finished, no more are started. A second signal ends it at once.',
  );
}

function withResult(
  entry: ReportEntry,
  planned: Planned | undefined,
  result: ApplyResult | undefined,
  session: Session,
): ReportEntry {
  if (result === undefined || planned === undefined) return entry;
  const noticed = entryOf(session, planned.configuration.folder, { diagnostics: result.diagnostics });
  return { ...entry, result, diagnostics: [...entry.diagnostics, ...noticed.diagnostics] };
}

async function applyOne(
  { plan, configuration, connection, readAt, journal }: Planned & { readonly journal: Journal | undefined },
  { io, progress }: Session,
  { stop }: Interrupts,
): Promise<ApplyResult> {
  progress.begin(`${plan.organization}: applying`, plan.summary.calls);
  const result = await applyPlan(plan, {
    client: connection.client,
    parallelism: connection.parallelism,
    clock: io.clock,
    readAt,
    stop,
    observe: () => progress.step(),
    ...(journal && { journal, aliases: configuration.aliases }),
  });
  progress.end();
  return result;
}
