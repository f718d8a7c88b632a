import { counted } from '../../model/text.ts';
import { incompleteText } from '../../report/figures.ts';
import type { ReportEntry } from '../../report/report.ts';
import { placedDiagnostics } from '../../report/text/diagnostics-text.ts';
import { checkApplyOptions } from '../../run/apply-journals.ts';
import { applyReviewed, reviewPlans } from '../../run/apply-planned.ts';
import type { Planned } from '../../run/plan-roots.ts';
import { entryOf } from '../../run/report-entry.ts';
import { withPlans } from '../../run/with-plans.ts';
import { defineCommand, rootFiles } from '../command.ts';
import { emit, textOf } from '../emit.ts';
import {
  comparisonFlags,
  dueFlag,
  freezeFlags,
  journalFlags,
  planningFlags,
  switchFlag,
  textFlag,
} from '../flags.ts';
import { OutputError } from '../io.ts';
import type { Session } from '../session.ts';

// The addresses of a saved plan were selected when it was made, so it is applied as a whole.
const toPlan = 'give it to `attune plan --out`';
const dueAlone = 'run it alone: it plans what is due now';

export default defineCommand({
  details:
    'Shows the plan, asks for confirmation and makes the changes. If a change fails, those that do not depend on it continue; run apply again to retry the rest. With --plan, Attune plans again and applies the saved plan only if the new plan is the same.',
  arguments: rootFiles,
  flags: {
    ...comparisonFlags,
    ...planningFlags,
    ...dueFlag,
    plan: textFlag('file', 'apply this saved plan; fails if planning it again gives other changes'),
    ...freezeFlags,
    ...journalFlags,
    yes: switchFlag('apply without asking for confirmation'),
  },
  conflicts: [
    ['due', 'plan', dueAlone],
    ['due', 'onlyChanged', dueAlone],
    ['only', 'plan', toPlan],
    ['base', 'plan', toPlan],
    ['onlyChanged', 'plan', toPlan],
  ],
  examples: [
    'attune apply',
    'attune apply --plan plan.json --yes',
    'attune apply --yes --max-deletes 3 --format json',
  ],
  learnMore: 'docs/guides/ci.md',
  report: 'apply',
  run: async ({ files }, given, session) => {
    await checkApplyOptions(session);
    const { plan, yes } = given;
    if (plan === undefined)
      return await withPlans({ purpose: 'apply', files }, session, (planned) =>
        applyPlans(planned, session, { yes }),
      );
    // The completed changes differ from a saved plan, so the rest needs another one.
    const retry = 'run `attune plan --out` again to plan the rest';
    return await withPlans({ purpose: 'replan', files, plan }, session, (planned) =>
      applyPlans(planned, session, { yes, retry }),
    );
  },
});

export async function applyPlans(
  plans: readonly Planned[],
  session: Session,
  {
    yes,
    retry = 'run the command again to retry',
  }: { readonly yes?: boolean | undefined; readonly retry?: string },
): Promise<number> {
  const { io, console, flags } = session;
  const shown = (entries: readonly ReportEntry[]) => textOf({ kind: 'plan', entries }, session);
  const reviewed = await reviewPlans(plans, session, async (entries) => {
    // The user decides on the plan; the report at the end contains it in the other formats.
    if (flags.format === 'text') console.result(await shown(entries));
    const lost = await io.stdout.failure();
    if (lost) throw new OutputError(lost);
  });
  const { entries, changes } = reviewed;
  const isAsked = changes > 0 && !yes;
  if (isAsked) {
    if (flags.format !== 'text') io.stderr.write(await shown(entries));
    console.diagnostics(placedDiagnostics(entries));
    const problem = await confirm(session, changes);
    if (problem !== undefined) return problem;
  }
  const interrupts = io.catchInterrupts();
  interrupts.stop.addEventListener('abort', () => reportStop(session), { once: true });
  try {
    const { results, report, isComplete, isContinued, undoCommand } = await applyReviewed(
      reviewed,
      session,
      interrupts.stop,
    );
    await emit(session, report, isAsked ? entries : []);
    const incomplete = incompleteText(results, retry);
    if (incomplete !== undefined) console.inform(incomplete);
    if (undoCommand !== undefined && !isContinued) console.inform(`Undo with: ${undoCommand}`);
    return interrupts.exitCode() ?? (isComplete ? 0 : 1);
  } finally {
    interrupts.release();
  }
}

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
  await emit(session, { kind: 'apply', entries: [entryOf(session, session.io.cwd, { diagnostics })] });
  return 1;
}

function reportStop({ progress, console }: Session): void {
  progress.end();
  console.inform(
    'Stopping: running calls finish, and no new ones start. Send the signal again after a second to exit at once.',
  );
}
