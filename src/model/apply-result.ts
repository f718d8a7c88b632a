import type { Diagnostic } from './diagnostic.ts';
import type { Plan, PlannedChange } from './plan.ts';

export type Outcome = 'done' | 'failed' | 'skipped';

export interface CallError {
  readonly message: string;
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

export interface ApplyResult {
  readonly plan: Plan;
  readonly changes: readonly AppliedChange[];
  /** What was noticed on the way: values that the service did not take, lists that had moved on. */
  readonly diagnostics: readonly Diagnostic[];
}
