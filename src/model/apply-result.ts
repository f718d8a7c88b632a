import type { Diagnostic } from './diagnostic.ts';
import type { Plan, PlannedChange } from './plan.ts';

/** The outcome of a change. */
export type Outcome = 'done' | 'failed' | 'skipped';

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

/** A planned change with its outcome: failed if one of its calls failed, skipped if one was skipped. */
export interface AppliedChange extends PlannedChange {
  readonly result: Outcome;
  /** Set for a skipped change of which some calls took effect. */
  readonly interrupted?: true;
  /** How many of its calls took effect. */
  readonly callsDone: number;
  /** Calls that took effect and that the plan does not show, such as one for tags that a create did not store. */
  readonly extraCalls?: number;
  readonly error?: CallError;
}

/** A plan with the outcome of each change. */
export interface ApplyResult {
  readonly plan: Plan;
  readonly changes: readonly AppliedChange[];
  /** Values that the service did not store, and lists that changed since the plan. */
  readonly diagnostics: readonly Diagnostic[];
}
