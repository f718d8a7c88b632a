import type { Limits } from '../desired/configuration.ts';
import type { Diagnostic, SourceLocation } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';

/** The percentage is not checked below this many live objects, where one delete exceeds most limits. */
const leastObjects = 10;
const tooManyDeletes = 'too-many-deletes';

/** How many objects are live: workspaces in scope (or of the organization), grants of declared projects, managed projects. */
export interface LiveCount {
  readonly workspaces: number;
  readonly grants: number;
  /** Managed projects. */
  readonly projects: number;
}

/**
 * Whether the deletes of a plan may need a count of the live workspaces. No count is needed if the known objects
 * already keep the share within the limit, because more objects only make it smaller.
 */
export function needsCount(plan: Plan, limits: Limits, known: LiveCount, maxDeletes?: number): boolean {
  if (maxDeletes !== undefined || plan.summary.delete === 0) return false;
  return share(plan.summary.delete, known) > limits.deletePercent;
}

/** Returns an error for each limit of deletes that a plan exceeds. `--max-deletes` overrides both limits. */
export function checkLimits(plan: Plan, limits: Limits, live: LiveCount, maxDeletes?: number): Diagnostic[] {
  const deletes = plan.summary.delete;
  if (deletes === 0) return [];
  if (maxDeletes !== undefined) return checkRunDeletes([plan], maxDeletes);
  const diagnostics: Diagnostic[] = [];
  if (deletes > limits.deletes) {
    const location = limits.locations?.deletes;
    diagnostics.push(
      tooMany(`the plan deletes ${deletes}, and ${allows('limits.deletes', limits.deletes, location)}`, {
        deletes,
        location,
      }),
    );
  }
  const objects = total(live);
  const percent = share(deletes, live);
  if (objects >= leastObjects && percent > limits.deletePercent) {
    const location = limits.locations?.deletePercent;
    diagnostics.push(
      tooMany(
        `the plan deletes ${deletes} of ${objects} live objects (${percent.toFixed(1)} percent), and ${allows('limits.delete-percent', limits.deletePercent, location)}`,
        { deletes, location },
      ),
    );
  }
  return diagnostics;
}

export interface RunLimits<Planned> {
  /** The value of `--max-deletes`. */
  readonly maxDeletes: number | undefined;
  /** How the root file of a plan is shown. */
  readonly rootFile: (planned: Planned) => string;
}

/**
 * Checks `--max-deletes` against all plans of one run. The error is added to the last plan that deletes. The limits of
 * each root file were checked before.
 */
export function limitRun<Planned extends { readonly plan: Plan }>(
  planned: readonly Planned[],
  { maxDeletes, rootFile }: RunLimits<Planned>,
): readonly Planned[] {
  const plans = planned.map(({ plan }) => plan);
  const refused = maxDeletes === undefined ? [] : checkRunDeletes(plans, maxDeletes);
  const last = planned.findLast(({ plan }) => plan.summary.delete > 0);
  return planned.map((one) => {
    const own =
      plans.length > 1 ? one.plan.diagnostics.map(inRun(plans, rootFile(one))) : one.plan.diagnostics;
    return { ...one, plan: { ...one.plan, diagnostics: one === last ? [...own, ...refused] : own } };
  });
}

/** Beside other plans, a limit names its root file, and the hint has the number that lets the whole run pass. */
function inRun(plans: readonly Plan[], rootFile: string): (diagnostic: Diagnostic) => Diagnostic {
  return (diagnostic) => {
    const { code, location, message } = diagnostic;
    if (code !== tooManyDeletes) return diagnostic;
    const hint = overrideHint(totalDeletes(plans));
    return { ...diagnostic, message: location ? message : `${rootFile}: ${message}`, hint };
  };
}

/** A limit without a line in the files is the default. */
function allows(limit: string, value: number, location: SourceLocation | undefined): string {
  return `${limit} allows ${value}${location === undefined ? ' by default' : ''}`;
}

function totalDeletes(plans: readonly Plan[]): number {
  return plans.reduce((sum, { summary }) => sum + summary.delete, 0);
}

function checkRunDeletes(plans: readonly Plan[], maxDeletes: number): Diagnostic[] {
  const counts = plans.map(({ summary }) => summary.delete);
  const deletes = totalDeletes(plans);
  if (deletes <= maxDeletes) return [];
  const what =
    counts.length === 1
      ? `the plan deletes ${deletes}`
      : `the ${counts.length} plans of this run delete ${deletes} together (${counts.join(' + ')})`;
  return [tooMany(`${what}, and --max-deletes allows ${maxDeletes}`, { deletes })];
}

function total({ workspaces, grants, projects }: LiveCount): number {
  return workspaces + grants + projects;
}

function share(deletes: number, live: LiveCount): number {
  const objects = total(live);
  return objects === 0 ? 100 : (deletes * 100) / objects;
}

function tooMany(
  message: string,
  { deletes, location }: { readonly deletes: number; readonly location?: SourceLocation | undefined },
): Diagnostic {
  return {
    severity: 'error',
    code: tooManyDeletes,
    message,
    ...(location && { location }),
    hint: overrideHint(deletes),
  };
}

function overrideHint(deletes: number): string {
  return `review the deletions above; to allow them, pass --max-deletes ${deletes}`;
}
