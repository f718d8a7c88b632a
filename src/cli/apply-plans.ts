import { hasErrors } from '../model/diagnostic.ts';
import { sentChanges } from '../model/plan.ts';
import { counted } from '../model/text.ts';
import type { ReportEntry } from '../report/report.ts';
import { incompleteText } from '../report/summaries.ts';
import { resultText } from '../report/text/text.ts';
import { checkJournals } from '../run/apply-journals.ts';
import { applyPlanned, isComplete } from '../run/apply-planned.ts';
import { refuseFrozen } from '../run/plan-options.ts';
import type { Planned } from '../run/plan-roots.ts';
import { entriesOfPlans, entryOf, withDiagnostics, withResults } from '../run/report-entry.ts';
import { emit, printDiagnostics, refuse } from './emit.ts';
import { OutputError } from './io.ts';
import type { Session } from './session.ts';

export interface ApplyPlansOptions {
  /** Applies without a question. */
  readonly yes?: boolean | undefined;
  /** How to make the changes of the plans that are not complete, as an imperative. */
  readonly retry: (incomplete: readonly Planned[]) => string;
}

/**
 * Shows plans, asks for confirmation, and applies them.
 *
 * @returns the exit code
 */
export async function applyPlans(
  plans: readonly Planned[],
  session: Session,
  options: ApplyPlansOptions,
): Promise<number> {
  const planned = refuseFrozen(plans, session);
  const { io, console, flags } = session;
  const entries = entriesOfPlans(planned, session);
  const text = resultText({ kind: 'plan', entries }, { paint: console.paint, full: flags.full === true });
  // The user decides on the plan; the report at the end contains it in the other formats.
  if (flags.format === 'text') console.result(text);
  const lost = await io.stdout.failure();
  if (lost) throw new OutputError(lost);
  if (entries.some(({ diagnostics }) => hasErrors(diagnostics))) {
    const code = await refuse(session, 'apply', entries);
    console.inform('No changes were made.');
    return code;
  }

  await checkJournals(planned, session);
  const changes = planned.reduce((sum, { plan }) => sum + sentChanges(plan.changes).length, 0);
  if (changes > 0 && !options.yes) {
    if (flags.format !== 'text') io.stderr.write(text);
    printDiagnostics(entries, console);
    const problem = await confirm(session, changes);
    if (problem !== undefined) return problem;
  }
  return runConfirmed(planned, entries, session, options);
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

async function runConfirmed(
  planned: readonly Planned[],
  entries: readonly ReportEntry[],
  session: Session,
  { retry }: ApplyPlansOptions,
): Promise<number> {
  const { io, console } = session;
  const interrupts = io.catchInterrupts();
  interrupts.stop.addEventListener('abort', () => reportStop(session), { once: true });
  try {
    const { results, unclosed, undoCommand } = await applyPlanned(planned, session, interrupts.stop);
    const ended = withResults(entries, planned, results, session);
    await emit(session, withDiagnostics({ kind: 'apply', entries: ended }, unclosed));
    const left = planned.filter((_, index) => results[index] === undefined || !isComplete(results[index]));
    const incomplete = incompleteText(results, retry(left));
    if (incomplete !== undefined) console.inform(incomplete);
    // An undo that is not complete is continued: to revert it is not the next step.
    const isContinued = left.some(({ undoes }) => undoes !== undefined);
    if (undoCommand !== undefined && !isContinued) console.inform(`Undo with: ${undoCommand}`);
    const failed = unclosed.length > 0 || results.some((result) => !isComplete(result));
    return interrupts.exitCode() ?? (failed ? 1 : 0);
  } finally {
    interrupts.release();
  }
}

function reportStop({ progress, console }: Session): void {
  progress.end();
  console.inform(
    'Stopping: running calls finish, and no new ones start. Send the signal again after a second to exit at once.',
  );
}
