import type { Diagnostic } from './diagnostic.ts';
import type { Plan, PlannedChange } from './plan.ts';

/** What became of a change. */
export type Outcome = 'done' | 'failed' | 'skipped';

/** Why a change failed or was left out; with the request, where one failed. */
export interface CallError {
  readonly message: string;
  /** `not-taken`: the call succeeded, and its answer shows another value than the one sent. */
  readonly code?: 'not-taken';
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
}

/** A planned change with what became of it: failed if one of its calls failed, skipped if one was left out. */
export interface AppliedChange extends PlannedChange {
  readonly result: Outcome;
  readonly callsDone: number;
  readonly error?: CallError;
}

/** A plan with what became of it. */
export interface ApplyResult {
  readonly plan: Plan;
  readonly changes: readonly AppliedChange[];
  /** What was noticed on the way: values that the service did not take, lists that had moved on. */
  readonly diagnostics: readonly Diagnostic[];
}
