import type { Diagnostic } from '../model/diagnostic.ts';
import type { PlannedChange } from '../model/plan.ts';

/** The hint of every difference between a saved plan and the live state at its apply. */
export const planAgainHint = 'run `attune plan --out` again and review the new plan';

/** A live value that a saved plan was computed from has changed. */
export function liveChanged({ address, location }: PlannedChange, how: string): Diagnostic {
  return {
    severity: 'error',
    code: 'moved-on',
    message: `the plan is stale: ${address} changed after the plan was saved (${how})`,
    address,
    ...(location && { location }),
    hint: planAgainHint,
  };
}

/** An id in a plan file belongs to another object. */
export function otherId(address: string, why: string): Diagnostic {
  return {
    severity: 'error',
    code: 'plan-differs',
    message: `the plan file does not match the service: ${address}: ${why}`,
    address,
    hint: planAgainHint,
  };
}
