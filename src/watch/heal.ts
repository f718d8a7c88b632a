import type { AppliedChange, ApplyResult } from '../model/apply-result.ts';
import type { Plan, PlannedChange } from '../model/plan.ts';
import { planSummary } from '../plan/create-plan.ts';
import type { HealMode } from './choices.ts';

/** The part of a plan that a mode applies, and why the rest is not applied. */
export interface HealingPlan {
  readonly plan: Plan;
  /** Reasons by address. */
  readonly withheld: ReadonlyMap<string, string>;
}

/**
 * Leaves out of a plan what a mode does not apply. `update` withholds each change that deletes a workspace or a project or
 * revokes a grant, and each change that needs one of these first.
 */
export function healingPlan(plan: Plan, mode: Exclude<HealMode, 'none'>): HealingPlan {
  const withheld = new Map<string, string>();
  if (mode === 'all') return { plan, withheld };
  for (const { address, action } of plan.changes) {
    if (action === 'delete') withheld.set(address, 'not applied: --heal update makes no deletions');
  }
  // A change can need one that is found later, so the search repeats until it finds no more.
  for (let before = -1; before !== withheld.size; ) {
    before = withheld.size;
    for (const { address, dependsOn } of plan.changes) {
      const needed = dependsOn.find((one) => withheld.has(one));
      if (needed !== undefined && !withheld.has(address))
        withheld.set(address, `not applied: needs ${needed}, which is not applied`);
    }
  }
  const changes = plan.changes.filter(({ address }) => !withheld.has(address));
  return { plan: { ...plan, changes, summary: planSummary(changes, plan.summary.unchanged) }, withheld };
}

/** The result of the whole plan: what was withheld is skipped, with its reason. */
export function wholeResult(plan: Plan, result: ApplyResult, { withheld }: HealingPlan): ApplyResult {
  const applied = new Map(result.changes.map((change) => [change.address, change]));
  const changes = plan.changes.map(
    (change): AppliedChange => applied.get(change.address) ?? skipped(change, withheld),
  );
  return { ...result, plan, changes };
}

function skipped(change: PlannedChange, withheld: HealingPlan['withheld']): AppliedChange {
  const message = withheld.get(change.address) ?? 'not applied';
  return { ...change, result: 'skipped', callsDone: 0, error: { message } };
}
