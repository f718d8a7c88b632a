import { resolve } from 'node:path';
import { hasErrors } from '../model/diagnostic.ts';
import { savePlans } from '../plan/saved-plan.ts';
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
import { emit } from './session/emit.ts';
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

/** Gives out plans, and saves them where that is asked for. */
export async function givePlans(
  planned: readonly PlannedOffline[],
  session: Session,
  { roots, out, detailedExitcode, command = ['attune', 'apply'] }: GivenPlans,
): Promise<number> {
  const entries = planEntries(planned, session);
  await emit(session, { kind: 'plan', entries });
  // Limits that are passed stand below the plan that passes them; such a plan is not saved.
  if (entries.some(({ diagnostics }) => hasErrors(diagnostics))) return 1;
  if (out !== undefined) {
    await writeFile(resolve(session.io.cwd, out), savePlans(planned.map(({ plan }) => plan)));
    const { maxDeletes } = session.flags;
    const limit = maxDeletes === undefined ? [] : ['--max-deletes', String(maxDeletes)];
    const next = [...command, ...sourceWords(roots, session.flags), '--plan', out, ...limit];
    session.console.say(`Saved as ${out}: ${commandLine(next)}`);
  }
  const differs = planned.some(({ plan }) => plan.changes.length > 0);
  return differs && detailedExitcode ? 2 : 0;
}
