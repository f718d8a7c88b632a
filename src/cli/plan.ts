import { resolve } from 'node:path';
import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import { savePlans } from '../plan/saved-plan.ts';
import type { Report } from '../report/report.ts';
import { commandLine, sourceWords } from './command-line.ts';
import { writablePath } from './files/report-files.ts';
import { writeFile } from './files/write-file.ts';
import type { CommonFlags } from './flags.ts';
import type { Io } from './io.ts';
import {
  type PlannedOffline,
  planEntries,
  plansFromSnapshot,
  withPlans,
} from './organizations/with-plans.ts';
import { errorDiagnostics } from './session/console.ts';
import { emit, withDiagnostics } from './session/emit.ts';
import { runSession } from './session/run-session.ts';
import type { Session } from './session/session.ts';

export interface PlanFlags extends CommonFlags {
  readonly detailedExitcode?: boolean;
  readonly out?: string;
  readonly snapshot?: string;
}

/** Shows what apply would do. */
export function plan(roots: readonly string[], flags: PlanFlags, io: Io): Promise<number> {
  return runSession(io, flags, 'plan', async (session) => {
    if (flags.out !== undefined) await writablePath('--out', flags.out, io.cwd);
    const given = { ...flags, roots };
    return flags.snapshot === undefined
      ? withPlans(roots, session, (planned) => givePlans(planned, session, given))
      : givePlans(await plansFromSnapshot(flags.snapshot, roots, session), session, given);
  });
}

export interface GivenPlans extends PlanFlags {
  /** The files that the command named. */
  readonly roots: readonly string[];
  /** The command that applies the saved plan. @default attune apply */
  readonly command?: readonly string[];
}

/** Saves plans if that is asked for, and prints them. */
export async function givePlans(
  planned: readonly PlannedOffline[],
  session: Session,
  { roots, out, detailedExitcode, command = ['attune', 'apply'] }: GivenPlans,
): Promise<number> {
  const report: Report = { kind: 'plan', entries: planEntries(planned, session) };
  // A plan that exceeds its limits is printed, and not saved.
  if (report.entries.some(({ diagnostics }) => hasErrors(diagnostics))) {
    await emit(session, report);
    return 1;
  }
  const unsaved = out === undefined ? [] : await save(planned, out, session);
  await emit(session, withDiagnostics(report, unsaved));
  if (unsaved.length > 0) return 1;
  if (out !== undefined) {
    const { maxDeletes } = session.flags;
    const limit = maxDeletes === undefined ? [] : ['--max-deletes', String(maxDeletes)];
    const next = [...command, ...sourceWords(roots, session.flags), '--plan', out, ...limit];
    session.console.say(`Saved as ${out}: ${commandLine(next)}`);
  }
  const differs = planned.some(({ plan }) => plan.changes.length > 0);
  return differs && detailedExitcode ? 2 : 0;
}

/** @returns why they could not be saved */
async function save(
  planned: readonly PlannedOffline[],
  out: string,
  session: Session,
): Promise<readonly Diagnostic[]> {
  try {
    await writeFile(resolve(session.io.cwd, out), savePlans(planned.map(({ plan }) => plan)));
    return [];
  } catch (error) {
    return errorDiagnostics(error, session);
  }
}
