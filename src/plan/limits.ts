import type { Limits } from '../desired/configuration.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';

/** Below this many live objects a percentage says nothing. */
const judgedFrom = 10;

/** How many objects are live: workspaces in scope (or of the organization) and grants of declared projects. */
export interface LiveCount {
  readonly workspaces: number;
  readonly grants: number;
}

/**
 * Whether the deletes of a plan may need a count of the live workspaces to be judged. What is known already may be
 * enough: more objects only make the share smaller.
 */
export function needsCount(plan: Plan, limits: Limits, known: LiveCount, maxDeletes?: number): boolean {
  if (maxDeletes !== undefined || plan.summary.delete === 0) return false;
  return share(plan.summary.delete, known) > limits.deletePercent;
}

/** Refuses a plan that deletes more than it may. `--max-deletes` stands in for both limits. */
export function checkLimits(plan: Plan, limits: Limits, live: LiveCount, maxDeletes?: number): Diagnostic[] {
  const deletes = plan.summary.delete;
  if (deletes === 0) return [];
  const override = `check the deletes above; if they are meant, say --max-deletes ${deletes}`;
  if (maxDeletes !== undefined) {
    return deletes > maxDeletes
      ? [tooMany(`the plan deletes ${deletes}, and --max-deletes allows ${maxDeletes}`, override)]
      : [];
  }
  const diagnostics: Diagnostic[] = [];
  if (limits.deletes !== undefined && deletes > limits.deletes) {
    diagnostics.push(
      tooMany(`the plan deletes ${deletes}, and limits.deletes allows ${limits.deletes}`, override),
    );
  }
  const objects = live.workspaces + live.grants;
  const percent = share(deletes, live);
  if (objects >= judgedFrom && percent > limits.deletePercent) {
    diagnostics.push(
      tooMany(
        `the plan deletes ${deletes} of ${objects} live objects (${percent.toFixed(1)} percent), and limits.delete-percent allows ${limits.deletePercent}`,
        override,
      ),
    );
  }
  return diagnostics;
}

function share(deletes: number, live: LiveCount): number {
  const objects = live.workspaces + live.grants;
  return objects === 0 ? 100 : (deletes * 100) / objects;
}

function tooMany(message: string, hint: string): Diagnostic {
  return { severity: 'error', code: 'too-many-deletes', message, hint };
}
