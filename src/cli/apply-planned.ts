import { applyPlan } from '../apply/apply-plan.ts';
import type { Journal } from '../apply/journal/journal.ts';
import type { ApplyResult } from '../model/apply-result.ts';
import { AttuneError } from '../model/attune-error.ts';
import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import { counted } from '../model/text.ts';
import { escapeControls } from '../report/escape-controls.ts';
import { plain } from '../report/paint.ts';
import { appliedSummary } from '../report/summaries.ts';
import { resultText } from '../report/text/text.ts';
import { openJournals, type RunJournals } from './apply-journals.ts';
import { errorDiagnostics } from './console.ts';
import type { JournalFlags } from './flags.ts';
import type { WriteDetail } from './io.ts';
import type { Planned } from './organizations/plan-roots.ts';
import { stackOf } from './run-errors.ts';
import type { Session } from './session.ts';

/** What an apply has done. */
export interface AppliedPlans {
  /** One per plan. */
  readonly results: readonly ApplyResult[];
  /** Why the last records of the journals may be missing. */
  readonly unclosed: readonly Diagnostic[];
  /** The command that undoes what was written. */
  readonly undoCommand: string | undefined;
}

export interface ApplyPlannedOptions extends JournalFlags {
  /** Once aborted, running calls finish and no other call starts. */
  readonly stop: AbortSignal;
}

/**
 * Applies plans without a question, one after the other, and writes their journals. From here on, the run states what it
 * has written if it ends early.
 */
export async function applyPlanned(
  planned: readonly Planned[],
  session: Session,
  { stop, ...journalFlags }: ApplyPlannedOptions,
): Promise<AppliedPlans> {
  const journals = await openJournals(planned, journalFlags, session);
  const progress: ApplyProgress = { plans: planned.map(({ plan }) => plan), results: [], callsDone: 0 };
  session.io.run.describeWrites = (detail) => describeApply(progress, detail);
  const { results } = progress;
  for (const one of planned) {
    results.push(await applyOne({ ...one, journal: journals.of(one) }, progress, session, stop));
    progress.callsDone = 0;
  }
  const unclosed = await closeJournals(journals, session);
  return { results, unclosed, undoCommand: journals.undoCommand() };
}

/** Whether every change is done, and the service took every value. */
export function isComplete({ changes, diagnostics }: ApplyResult): boolean {
  return !hasErrors(diagnostics) && changes.every(({ result }) => result === 'done');
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

async function applyOne(
  { plan, configuration, connection, readAt, journal }: Planned & { readonly journal: Journal | undefined },
  applied: ApplyProgress,
  session: Session,
  stop: AbortSignal,
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
