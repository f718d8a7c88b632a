import type { Diagnostic } from './diagnostic.ts';
import type { Plan, PlannedChange } from './plan.ts';

/** The outcome of a change. */
export type Outcome = 'done' | 'failed' | 'skipped';

/** Why a change failed or was skipped, with the request if one failed. */
export interface CallError {
  readonly message: string;
  /** `not-taken`: the call succeeded, and its answer shows another value than the one sent. */
  readonly code?: 'not-taken';
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
}

/** A planned change with its outcome: failed if one of its calls failed, skipped if one was skipped. */
export interface AppliedChange extends PlannedChange {
  readonly result: Outcome;
  readonly callsDone: number;
  readonly error?: CallError;
}

/** A plan with the outcome of each change. */
export interface ApplyResult {
  readonly plan: Plan;
  readonly changes: readonly AppliedChange[];
  /** Values that the service did not store, and lists that changed since the plan. */
  readonly diagnostics: readonly Diagnostic[];
}
