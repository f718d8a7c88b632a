import { emit, entryOf } from './emit.ts';
import type { CommonFlags } from './flags.ts';
import type { Io } from './io.ts';
import { runSession } from './run-session.ts';
import { readPlanFile } from './saved-plan-file.ts';

/** Renders a saved plan. */
export function show(file: string, flags: CommonFlags, io: Io): Promise<number> {
  return runSession(io, flags, 'plan', async (session) => {
    const plans = await readPlanFile(file, io.cwd);
    const entries = plans.map((plan) => entryOf(session, io.cwd, { plan, diagnostics: plan.diagnostics }));
    await emit(session, { kind: 'plan', entries });
    return 0;
  });
}
