import type { LimitOverrides } from '../plan/limits.ts';
import type { MakePlanOptions } from '../plan/make-plan.ts';
import type { RunOptions } from './context.ts';

type LimitFlags = Pick<RunOptions, 'maxDeletes' | 'maxRevokes' | 'maxUpdates'>;

/** The limits on the command line, which count over all plans of a run. */
export function limitOverrides({ maxDeletes, maxRevokes, maxUpdates }: LimitFlags): LimitOverrides {
  return { deletes: maxDeletes, revokes: maxRevokes, updates: maxUpdates };
}

/** The options of each plan of the run: what is limited together is not limited per plan. */
export function limitsOfRun({
  maxDeletes,
  maxRevokes,
  maxUpdates,
}: LimitFlags): Pick<MakePlanOptions, keyof LimitFlags> {
  return {
    ...(maxDeletes !== undefined && { maxDeletes: unlimited }),
    ...(maxRevokes !== undefined && { maxRevokes: unlimited }),
    ...(maxUpdates !== undefined && { maxUpdates: unlimited }),
  };
}

const unlimited = Number.POSITIVE_INFINITY;

/** The same limits for the command that applies a saved plan. */
export function limitWords({ maxDeletes, maxRevokes, maxUpdates }: LimitFlags): string[] {
  const flags = { '--max-deletes': maxDeletes, '--max-revokes': maxRevokes, '--max-updates': maxUpdates };
  return Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [flag, String(value)]));
}
