import { readPlanFile } from './files/saved-plan-file.ts';
import type { CommonFlags } from './flags.ts';
import type { Io } from './io.ts';
import { emit } from './session/emit.ts';
import { runSession } from './session/run-session.ts';

/** Renders a saved plan. */
export function show(file: string, flags: CommonFlags, io: Io): Promise<number> {
  return runSession(io, flags, 'plan', async (session) => {
    const plans = await readPlanFile(file, io.cwd);
    // Places are told as the plan has them; the lines that stand there by now may be others.
    const entries = plans.map((plan) => ({
      plan,
      diagnostics: plan.diagnostics,
      path: (place: string) => place,
    }));
    await emit(session, { kind: 'plan', entries });
    return 0;
  });
}
