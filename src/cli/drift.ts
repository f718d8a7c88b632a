import { hasDrift } from '../report/summaries.ts';
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

export interface DriftFlags extends CommonFlags {
  readonly snapshot?: string;
}

/** Reports what is live and not as declared; never writes. */
export function drift(roots: readonly string[], flags: DriftFlags, io: Io): Promise<number> {
  return runSession(io, flags, 'drift', async (session) => {
    const options = { reportScope: true };
    return flags.snapshot === undefined
      ? withPlans(roots, session, (planned) => give(planned, session), options)
      : give(await plansFromSnapshot(flags.snapshot, roots, session, options), session);
  });
}

async function give(planned: readonly PlannedOffline[], session: Session): Promise<number> {
  const entries = planEntries(planned, session);
  await emit(session, { kind: 'drift', entries });
  return planned.some(({ plan }) => hasDrift(plan)) ? 2 : 0;
}
