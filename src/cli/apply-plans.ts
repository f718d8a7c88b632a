import { applyPlan } from '../apply/apply-plan.ts';
import type { Journal } from '../apply/journal/journal.ts';
import type { AppliedChange, ApplyResult } from '../model/apply-result.ts';
import { AttuneError } from '../model/attune-error.ts';
import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import { counted } from '../model/text.ts';
import { escapeControls } from '../report/escape-controls.ts';
import { plain } from '../report/paint.ts';
import type { ReportEntry } from '../report/report.ts';
import { appliedSummary, incompleteText } from '../report/summaries.ts';
import { resultText } from '../report/text/text.ts';
import { checkJournals, openJournals, type RunJournals } from './apply-journals.ts';
import { errorDiagnostics } from './console.ts';
import { emit, entryOf, refuse, withDiagnostics } from './emit.ts';
import type { JournalFlags } from './flags.ts';
import type { Interrupts } from './interrupts.ts';
import type { WriteDetail } from './io.ts';
import type { Planned } from './organizations/plan-roots.ts';
import { planEntries } from './report-plans.ts';
import { requireStdout, stackOf } from './run-errors.ts';
import type { Session } from './session.ts';

export interface ApplyPlansOptions extends JournalFlags {
  /** Applies without a question. */
  readonly yes?: boolean;
}

/**
 * Shows plans, asks for confirmation, and applies them.
 *
 * @returns the exit code
 */
export async function applyPlans(
  planned: readonly Planned[],
  session: Session,
  { yes = false, ...journalFlags }: ApplyPlansOptions,
): Promise<number> {
  const { io, console, flags } = session;
  const entries = planEntries(planned, session);
  const text = resultText({ kind: 'plan', entries }, { paint: console.paint, full: flags.full === true });
  // The user decides on the plan; the report at the end contains it in the other formats.
  if (flags.format === 'text') console.result(text);
  await requireStdout(io.stdout);
  if (entries.some(({ diagnostics }) => hasErrors(diagnostics))) {
    const code = await refuse(session, 'apply', entries);
    console.inform('No changes were made.');
    return code;
  }

  await checkJournals(planned, journalFlags, session);
  const changes = planned.reduce((sum, { plan }) => sum + plan.changes.length, 0);
  if (changes > 0 && !yes) {
    if (flags.format !== 'text') io.stderr.write(text);
    for (const { diagnostics, path } of entries) console.diagnostics(diagnostics, path);
    const problem = await confirm(session, changes);
    if (problem !== undefined) return problem;
  }
  return applyAll({ planned, entries, session, journalFlags });
}

/** @returns the exit code if the user does not confirm. */
async function confirm(session: Session, changes: number): Promise<number | undefined> {
  const answer = await session.io.ask(`\nApply ${counted(changes, 'change')}? Only "yes" is accepted: `);
  if (answer?.trim() === 'yes') return undefined;
  const diagnostic =
    answer === undefined
      ? {
          message: 'apply requires confirmation and stdin is not a terminal; no changes were made',
          hint: 'review the plan, then run again with --yes',
        }
      : { message: 'apply canceled: the answer was not "yes"; no changes were made' };
  const diagnostics = [{ severity: 'error', code: 'not-confirmed', ...diagnostic } as const];
  return refuse(session, 'apply', [entryOf(session, session.io.cwd, { diagnostics })]);
}

interface Confirmed {
  readonly planned: readonly Planned[];
  readonly entries: readonly ReportEntry[];
  readonly session: Session;
  readonly journalFlags: JournalFlags;
}

async function applyAll({ planned, entries, session, journalFlags }: Confirmed): Promise<number> {
  const { io, console } = session;
  const journals = await openJournals(planned, journalFlags, session);
  const interrupts = io.catchInterrupts();
  interrupts.stop.addEventListener('abort', () => reportStop(session), { once: true });
  const progress: ApplyProgress = { plans: planned.map(({ plan }) => plan), results: [], callsDone: 0 };
  io.run.describeWrites = (detail) => describeApply(progress, detail);
  const { results } = progress;
  try {
    for (const one of planned) {
      results.push(await applyOne({ ...one, journal: journals.of(one) }, progress, session, interrupts));
      progress.callsDone = 0;
    }
    const unclosed = await closeJournals(journals, session);
    const applied = entries.map((entry, index) => withResult(entry, planned[index], results[index], session));
    await emit(session, withDiagnostics({ kind: 'apply', entries: applied }, unclosed));
    const failed =
      unclosed.length > 0 ||
      results.some(({ changes, diagnostics }) => hasErrors(diagnostics) || changes.some(isUndone));
    const incomplete = incompleteText(results, io.run.command ?? 'attune apply');
    if (incomplete !== undefined) console.inform(incomplete);
    const undoCommand = journals.undoCommand();
    if (undoCommand !== undefined) console.inform(`Undo with: ${undoCommand}`);
    return interrupts.exitCode() ?? (failed ? 1 : 0);
  } finally {
    interrupts.release();
  }
}

function isUndone({ result }: AppliedChange): boolean {
  return result !== 'done';
}

/** @returns why its last records may be missing */
async function closeJournals(journals: RunJournals, session: Session): Promise<readonly Diagnostic[]> {
  try {
    await journals.close();
    return [];
  } catch (error) {
    return errorDiagnostics(error, session);
  }
}

function reportStop({ progress, console }: Session): void {
  progress.end();
  console.inform(
    'Stopping: running calls finish, and no new ones start. Send the signal again after a second to exit at once.',
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
  applied: ApplyProgress,
  session: Session,
  { stop }: Interrupts,
): Promise<ApplyResult> {
  const { io, progress, flags } = session;
  progress.begin(`${plan.organization}: applying`, plan.summary.calls);
  try {
    return await applyPlan(plan, {
      client: connection.client,
      parallelism: connection.parallelism,
      clock: io.clock,
      readAt,
      stop,
      observe: ({ result, error }) => {
        progress.step();
        if (result === 'done') applied.callsDone += 1;
        if (flags.verbose && error !== undefined && !(error instanceof AttuneError))
          io.stderr.write(stackOf(error));
      },
      ...(journal && { journal, aliases: configuration.aliases }),
    });
  } catch (error) {
    // A known error comes before the first call; what is applied for other organizations is still a result.
    if (!(error instanceof AttuneError)) throw error;
    return notAttempted(plan, errorDiagnostics(error, session));
  } finally {
    progress.end();
  }
}

function notAttempted(plan: Plan, diagnostics: readonly Diagnostic[]): ApplyResult {
  const why = diagnostics.map(({ message }) => message).join('; ');
  const changes = plan.changes.map(
    (change) =>
      ({ ...change, result: 'skipped', callsDone: 0, error: { message: `not attempted: ${why}` } }) as const,
  );
  return { plan, changes, diagnostics };
}

/** How far an apply has come. */
interface ApplyProgress {
  readonly plans: readonly Plan[];
  /** Of the plans that are applied, in their order. The plan after the last one is being applied. */
  readonly results: ApplyResult[];
  /** The calls of that plan that the service has confirmed. */
  callsDone: number;
}

/** States what an apply has written to the service. */
function describeApply({ plans, results, callsDone }: ApplyProgress, detail: WriteDetail): string {
  const texts = plans.map((plan, index) => {
    const organization = escapeControls(plan.organization);
    const result = results[index];
    if (result) {
      if (detail === 'figures' || result.changes.length === 0)
        return `${organization}: ${appliedSummary(result)}`;
      const entry = { plan, result, diagnostics: [], path: (file: string) => file };
      const text = resultText({ kind: 'apply', entries: [entry] }, { paint: plain });
      return `${organization}:\n${text.trimEnd()}`;
    }
    if (index > results.length || plan.changes.length === 0) return `${organization}: not attempted`;
    const calls = `${callsDone} of ${counted(plan.summary.calls, 'call')}`;
    return `${organization}: ${calls} confirmed by the service; calls that were running may have taken effect`;
  });
  return `${texts.join('\n')}\n`;
}
