import { applyPlan } from '../apply/apply-plan.ts';
import type { ApplyResult } from '../model/apply-result.ts';
import { applyDocument } from '../report/apply-document.ts';
import { renderApplyText } from '../report/apply-text.ts';
import { counted, heading, renderPlanText } from '../report/plan-text.ts';
import { errorDiagnostics } from './console.ts';
import type { CommonFlags } from './flags.ts';
import type { Interrupts, Io } from './io.ts';
import { limitErrors, printDocuments } from './results.ts';
import { createSession, refuse, type Session, tell } from './session.ts';
import { type Planned, withPlans } from './with-plans.ts';

export interface ApplyFlags extends CommonFlags {
  readonly yes?: boolean;
}

/** Plans, shows the plan, asks, applies. */
export async function apply(roots: readonly string[], flags: ApplyFlags, io: Io): Promise<number> {
  const session = createSession(io, flags);
  return withPlans(roots, session, { writes: true }, async (planned) => {
    const texts = planned.map(({ plan }) => renderPlanText(plan, session.console.paint));
    // The plan is what people decide on; in JSON it is part of the one document that comes at the end.
    if (flags.format === 'text') session.console.result(texts.join('\n'));
    const refused = limitErrors(planned);
    if (refused.length > 0) return refuse(session, refused);

    const changes = planned.reduce((sum, { plan }) => sum + plan.changes.length, 0);
    if (changes > 0 && !flags.yes) {
      if (flags.format === 'json') io.stderr.write(texts.join('\n'));
      const problem = await confirm(session, changes);
      if (problem) return problem;
    }
    return applyAll(planned, session);
  });
}

/** @returns the exit code where the answer is not yes. */
async function confirm(session: Session, changes: number): Promise<number | undefined> {
  const answer = await session.io.ask(`\nApply ${counted(changes, 'change')}? Only "yes" is a yes: `);
  if (answer?.trim() === 'yes') return undefined;
  const diagnostic =
    answer === undefined
      ? {
          message: 'apply needs a yes, and there is no terminal to ask on; nothing was written',
          hint: 'look at the plan first, then say `attune apply --yes`',
        }
      : { message: 'not applied: the answer was not "yes"; nothing was written' };
  return refuse(session, [
    { folder: session.io.cwd, diagnostics: [{ severity: 'error', code: 'not-confirmed', ...diagnostic }] },
  ]);
}

async function applyAll(planned: readonly Planned[], session: Session): Promise<number> {
  const interrupts = session.io.catchInterrupts();
  try {
    const results: ApplyResult[] = [];
    for (const one of planned) results.push(await applyOne(one, session, interrupts));
    printResults(planned, results, session);
    const failed = results.some(({ changes }) => changes.some(({ result }) => result !== 'done'));
    if (failed) session.console.say('Not all is done. What is done stays; run again for the rest.');
    return interrupts.exitCode() ?? (failed ? 1 : 0);
  } catch (error) {
    return refuse(session, [{ folder: session.io.cwd, diagnostics: errorDiagnostics(error) }]);
  } finally {
    interrupts.release();
  }
}

async function applyOne(
  { plan, connection, readAt }: Planned,
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
  });
  progress.end();
  return result;
}

function printResults(planned: readonly Planned[], results: readonly ApplyResult[], session: Session): void {
  const { console, flags } = session;
  if (flags.format === 'json') {
    printDocuments(session, results.map(applyDocument));
    return;
  }
  const changed = results.filter(({ changes }) => changes.length > 0);
  if (changed.length > 0) {
    const headed = changed.map((result) =>
      [
        ...(results.length > 1 ? [`${heading(result.plan, console.paint)}\n\n`] : []),
        renderApplyText(result, console.paint),
      ].join(''),
    );
    console.result(`\n${headed.join('\n')}`);
  }
  results.forEach(({ diagnostics }, index) => {
    tell(session, { folder: planned[index]?.configuration.folder ?? session.io.cwd, diagnostics });
  });
}
