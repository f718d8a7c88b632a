import type { Diagnostic } from './diagnostic.ts';
import { type Call, isHeld, type Plan, type PlannedChange } from './plan.ts';
import { noneIfEmpty, withoutUndefined } from './value.ts';

/** The outcome of a change. */
export type Outcome = 'done' | 'partial' | 'failed' | 'skipped' | 'held';

export const endings = ['done', 'failed', 'unknown', 'partial', 'skipped', 'held'] as const;
export type Ending = (typeof endings)[number];

export function endingOf({ result, error }: AppliedChange): Ending {
  return result === 'failed' && error?.code === 'unknown-effect' ? 'unknown' : result;
}

/** Why a change is not done, with the request if one failed. */
export interface CallError {
  /** For a partial change it ends with how many calls of how many completed. */
  readonly message: string;
  /**
   * `not-taken`: the call succeeded, and its answer shows another value than the one sent. `unknown-effect`: the answer
   * was lost, and it is unknown whether the call took effect.
   */
  readonly code?: 'not-taken' | 'unknown-effect' | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly status?: number | undefined;
}

/**
 * A planned change with its outcome: partial if it is not done and one of its calls took effect, failed if one failed and
 * none took effect, skipped if none was sent, held if none was sent because of a hold.
 */
export interface AppliedChange extends PlannedChange {
  readonly result: Outcome;
  /** How many calls took effect; none if another user made the change, which `already-done` reports. */
  readonly callsDone: number;
  /** How many of `callsDone` the plan does not show: tags that a create did not store, or consumers one by one. */
  readonly extraCalls?: number | undefined;
  /** Until when a deleted workspace can be recovered, in ISO 8601, where the service shows it. */
  readonly recoverableUntil?: string | undefined;
  readonly error?: CallError | undefined;
}

export function plannedDone({ calls, callsDone, extraCalls = 0 }: AppliedChange): readonly Call[] {
  return calls.slice(0, callsDone - extraCalls);
}

export function isMade(change: AppliedChange): boolean {
  return change.result === 'done' || (change.result === 'held' && isHeld(change));
}

/** Of a change that a window held during the apply, the plan has the hold of the window not yet, which is the last one. */
export function plannedChange(change: AppliedChange): PlannedChange {
  const {
    result,
    callsDone: _,
    extraCalls: _extra,
    recoverableUntil: _until,
    error: _error,
    ...planned
  } = change;
  if (result !== 'held' || isHeld(change)) return planned;
  return withoutUndefined({ ...planned, held: noneIfEmpty(planned.held?.slice(0, -1)) });
}

/** A plan with the outcome of each change. */
export interface ApplyResult {
  readonly plan: Plan;
  readonly changes: readonly AppliedChange[];
  /** Values that the service did not store, and lists that changed since the plan. */
  readonly diagnostics: readonly Diagnostic[];
}
