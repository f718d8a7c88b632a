import { hasErrors } from '../model/diagnostic.ts';
import { hasDifference } from '../model/plan.ts';
import { counted } from '../model/text.ts';
import type { Report } from '../report/report.ts';
import { type ComparedRoots, savePlanned } from '../run/compare-roots.ts';
import { failureOf } from '../run/errors.ts';
import { withDiagnostics } from '../run/report-entry.ts';
import { commandLine, limitWords, sourceWords } from '../run/shell-words.ts';
import { emit } from './emit.ts';
import type { Session } from './session.ts';

interface ReportPlansOptions {
  readonly out: string | undefined;
  readonly detailedExitcode: boolean | undefined;
  readonly roots: readonly string[];
  readonly command: readonly string[];
}

export async function reportPlans(
  { planned, entries }: Pick<ComparedRoots, 'planned' | 'entries'>,
  session: Session,
  { roots, out, detailedExitcode, command }: ReportPlansOptions,
): Promise<number> {
  const report: Report = { kind: 'plan', entries };
  // A plan that exceeds its limits is printed, and not saved.
  if (report.entries.some(({ diagnostics }) => hasErrors(diagnostics))) {
    await emit(session, report);
    if (out !== undefined && report.entries.length > 1) session.console.inform(notSaved(out, report));
    return 1;
  }
  const unsaved = out === undefined ? [] : await failureOf(savePlanned(planned, out, session), session);
  await emit(session, withDiagnostics(report, unsaved));
  if (unsaved.length > 0) return 1;
  const differs = planned.some(({ plan }) => hasDifference(plan));
  if (out !== undefined) {
    const sources = sourceWords(roots, session.options);
    const limits = limitWords(session.options);
    const isFrozen = planned.some(({ plan }) =>
      plan.changes.some(({ held = [] }) => held.some(({ by }) => by === 'freeze')),
    );
    const isAllFrozen = isFrozen && !differs;
    // A plan for another time cannot be applied.
    const next =
      isAllFrozen || planned.some(({ plan }) => plan.hypothetical)
        ? ['attune', 'show', out]
        : [...command, ...sources, '--plan', out, ...(isFrozen ? ['--skip-frozen'] : []), ...limits];
    session.console.inform(`Saved as ${out}: ${commandLine(next)}`);
    if (isAllFrozen) {
      const urgent = commandLine([
        ...command,
        ...sources,
        '--only',
        'ADDRESS',
        '--override-freeze',
        'REASON',
      ]);
      session.console.inform(
        `Nothing in it can be applied: plan again after the freeze window, or run ${urgent}`,
      );
    }
  }
  return differs && detailedExitcode ? 2 : 0;
}

/** Part of a plan is not what the user asked to review: several root files are saved together, or not at all. */
function notSaved(out: string, { entries }: Report): string {
  const failed = entries.filter(({ diagnostics }) => hasErrors(diagnostics)).length;
  const have = failed === 1 ? 'has' : 'have';
  return `No plan was saved as ${out}: ${failed} of ${counted(entries.length, 'root file')} ${have} errors.`;
}
