import { hastensDestruction } from '../../check/risks.ts';
import type { AppliedChange, ApplyResult } from '../../model/apply-result.ts';
import { destroyTime } from '../../model/attributes.ts';
import type { FieldChange } from '../../model/change.ts';
import { hasErrors } from '../../model/diagnostic.ts';
import { mayLowerAccess } from '../../model/lowered-access.ts';
import { isHeld, type Plan, type PlannedChange, sentChanges } from '../../model/plan.ts';
import { workspaceAddress } from '../../model/state.ts';
import { countChanges } from '../../plan/create-plan.ts';
import { applyPlanned, withResults } from '../apply-planned.ts';
import type { RunContext } from '../context.ts';
import type { Planned } from '../plan-roots.ts';
import { entriesOfPlans, entryOf, errorEntries } from '../report-entry.ts';

/** What a cycle applies: nothing, everything but deletions, or everything. */
export type HealMode = 'none' | 'update' | 'all';

/**
 * Applies what the mode applies, unless a limit, a guard or a policy refuses the plan.
 *
 * @param plannedBefore the deletions that the cycle before planned
 */
export async function heal(
  planned: readonly Planned[],
  plannedBefore: ReadonlySet<string>,
  context: RunContext,
  { heal: mode, stop }: { readonly heal: HealMode; readonly stop: AbortSignal },
) {
  const entries = entriesOfPlans(planned, context);
  const changes = planned.flatMap(({ plan }) => plan.changes);
  const isRefused = entries.some(({ diagnostics }) => hasErrors(diagnostics));
  const unhealed = {
    entries,
    applied: [],
    waiting: [],
    held: changes.filter(({ held }) => held !== undefined),
    remaining: changes.filter((change) => !isHeld(change)),
    errors: [],
  };
  if (mode === 'none') return { ...unhealed, isSuccess: true };
  if (isRefused || stop.aborted) return { ...unhealed, isSuccess: !isRefused };

  const parts = planned.map((one) => ({ one, part: healingPlan(one.plan, mode, plannedBefore) }));
  try {
    const chosen = parts.map(({ one, part }) => ({ ...one, plan: part.plan }));
    // Cycles that fail again and again must not replace the journals of others.
    const { results, unclosed } = await applyPlanned(chosen, context, stop, false);
    const whole = parts.flatMap(({ one, part }, index) => {
      const result = results[index];
      return result ? [wholeResult(one.plan, result, part)] : [];
    });
    const ended = whole.flatMap((result) => result.changes);
    return {
      entries: withResults(entries, planned, whole, context),
      applied: results.flatMap((result) => result.changes.filter((change) => change.result !== 'held')),
      waiting: parts.flatMap(({ part }) => part.waiting),
      held: ended.filter(({ held }) => held !== undefined),
      remaining: ended.filter(({ result }) => result !== 'done' && result !== 'held'),
      errors: unclosed.length > 0 ? [entryOf(context, context.io.cwd, { diagnostics: unclosed })] : [],
      isSuccess: unclosed.length === 0 && results.every(isHealed),
    };
  } catch (error) {
    return { ...unhealed, errors: errorEntries(error, context), isSuccess: false };
  }
}

/**
 * The part of a plan that a mode applies, and why each other change is withheld. `all` waits with a deletion for a second cycle:
 * while files are replaced, a declaration can be missing for a moment. What is held stays in the plan, which does not send it.
 */
export function healingPlan(plan: Plan, mode: Exclude<HealMode, 'none'>, plannedBefore: ReadonlySet<string>) {
  const withheld = new Map<string, string>();
  const waiting: PlannedChange[] = [];
  for (const change of deletionsOf(plan)) {
    if (mode === 'update') withheld.set(change.address, 'not applied: --heal update makes no deletions');
    else if (!plannedBefore.has(deletionKey(plan, change))) {
      withheld.set(change.address, 'not applied: a deletion is applied when two cycles in a row plan it');
      waiting.push(change);
    }
  }
  if (mode === 'update') {
    for (const [address, field] of scheduledDestructions(plan))
      withheld.set(address, `not applied: --heal update schedules no destruction (${field.path})`);
    for (const move of plan.effects.moves) {
      if (mayLowerAccess(move))
        withheld.set(
          workspaceAddress(move.workspace),
          'not applied: --heal update moves no workspace if a team may have less access afterwards',
        );
    }
  }
  if (withheld.size === 0) return { plan, withheld, waiting };
  // A change can need one that is found later, so the search repeats until it finds no more.
  for (let size = -1; size !== withheld.size; ) {
    size = withheld.size;
    for (const { address, dependsOn } of plan.changes) {
      const needed = dependsOn.find((one) => withheld.has(one));
      if (needed !== undefined && !withheld.has(address))
        withheld.set(address, `not applied: needs ${needed}, which is not applied`);
    }
  }
  const changes = plan.changes.filter(({ address }) => !withheld.has(address));
  const summary = countChanges(changes, plan.summary.unchanged);
  return { plan: { ...plan, changes, summary }, withheld, waiting };
}

/** By the change that causes it: of the workspace itself, of its project, or its move to another project. */
function scheduledDestructions({ changes, effects }: Plan): (readonly [address: string, FieldChange])[] {
  const own = sentChanges(changes)
    .filter(({ action }) => action === 'update')
    .flatMap(({ address, fields }) => fields.map((field) => [address, field] as const));
  // A workspace whose own destroy time is cleared inherits a duration.
  const cleared = new Set(own.flatMap(([address, { path }]) => (path === destroyTime ? address : [])));
  const inherited = (effects.inherited ?? [])
    .filter(({ address, from }) => from === 'move' || cleared.has(address))
    .map((setting) => [setting.address, setting] as const);
  return [...own, ...inherited].filter(([, field]) => hastensDestruction(field));
}

export function plannedDeletions(plans: readonly Plan[]): ReadonlySet<string> {
  return new Set(plans.flatMap((plan) => deletionsOf(plan).map((change) => deletionKey(plan, change))));
}

function deletionsOf({ changes }: Plan): readonly PlannedChange[] {
  return sentChanges(changes).filter(({ action }) => action === 'delete');
}

function deletionKey(plan: Plan, { address, id, mode }: PlannedChange): string {
  return JSON.stringify([plan.address, address, id, mode]);
}

export function wholeResult(
  plan: Plan,
  result: ApplyResult,
  { withheld }: Pick<ReturnType<typeof healingPlan>, 'withheld'>,
): ApplyResult {
  const applied = new Map(result.changes.map((change) => [change.address, change]));
  const changes = plan.changes.map((change): AppliedChange => {
    const message = withheld.get(change.address) ?? 'not applied';
    return applied.get(change.address) ?? { ...change, result: 'skipped', callsDone: 0, error: { message } };
  });
  // Answers of the service can show readers that no file declares.
  const { effects, overview } = result.plan;
  const shown = effects === plan.effects ? plan : { ...plan, effects, overview };
  return { ...result, plan: shown, changes };
}

/** Whether all is done that is not held, also by a freeze window that began during the apply. */
export function isHealed({ changes, diagnostics }: ApplyResult): boolean {
  // What is skipped needs a change that the window holds, or one that failed.
  const isFrozen = changes.some((change) => change.result === 'held' && !isHeld(change));
  const isFine = ({ result }: AppliedChange) =>
    result === 'done' || result === 'held' || (result === 'skipped' && isFrozen);
  return !hasErrors(diagnostics) && changes.every(isFine);
}
