import type { Diagnostic } from './diagnostic.ts';
import { isHeld, type Plan, type PlannedChange } from './plan.ts';

/** The outcome of a change. */
export type Outcome = 'done' | 'failed' | 'skipped' | 'held';

/**
 * How a change ended, as reports show it: `unknown` for a failed change with a call whose effect is unknown, `interrupted`
 * for a skipped change of which some calls took effect before the run was stopped.
 */
export const endings = ['done', 'failed', 'unknown', 'interrupted', 'skipped', 'held'] as const;
/** One of {@link endings}. */
export type Ending = (typeof endings)[number];

export function endingOf({ result, interrupted, error }: AppliedChange): Ending {
  if (interrupted) return 'interrupted';
  return error?.code === 'unknown-effect' ? 'unknown' : result;
}

/** Why a change failed or was skipped, with the request if one failed. */
export interface CallError {
  readonly message: string;
  /**
   * `not-taken`: the call succeeded, and its answer shows another value than the one sent. `unknown-effect`: the answer
   * was lost, and it is unknown whether the call took effect.
   */
  readonly code?: 'not-taken' | 'unknown-effect';
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
}

/**
 * A planned change with its outcome: failed if one of its calls failed, skipped if one was skipped, held if nothing of it was
 * sent because of a hold.
 */
export interface AppliedChange extends PlannedChange {
  readonly result: Outcome;
  /** Set for a skipped change of which some calls took effect before the run was stopped. */
  readonly interrupted?: true;
  /** How many of the planned calls took effect. */
  readonly callsDone: number;
  /** Calls that took effect and that the plan does not show: tags that a create did not store, or consumers one by one. */
  readonly extraCalls?: number;
  /** Until when a deleted workspace can be recovered, in ISO 8601, where the service shows it. */
  readonly recoverableUntil?: string;
  readonly error?: CallError;
}

/** Whether everything of a change is done that its plan sends. A freeze window that began later can hold the rest. */
export function isMade(change: AppliedChange): boolean {
  return change.result === 'done' || (change.result === 'held' && isHeld(change));
}

/** A plan with the outcome of each change. */
export interface ApplyResult {
  readonly plan: Plan;
  readonly changes: readonly AppliedChange[];
  /** Values that the service did not store, and lists that changed since the plan. */
  readonly diagnostics: readonly Diagnostic[];
}
