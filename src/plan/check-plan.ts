import type { Configuration } from '../desired/configuration.ts';
import type { Difference } from '../diff/diff.ts';
import type { LiveQuery, LiveScope } from '../live/live-query.ts';
import { countKnown, type LiveSource } from '../live/live-source.ts';
import type { Live } from '../live/read-live.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan, PlanPurpose } from '../model/plan.ts';
import { isUncreatedProject, resourcesOf } from '../model/state.ts';
import type { GuardInput } from './guard-input.ts';
import { checkAdmins } from './keep-admin.ts';
import { checkSelf } from './keep-self.ts';
import { checkLimits, type LimitOverrides, type LiveCount, needsCount } from './limits.ts';
import { resolveNames } from './look-up-names.ts';
import { checkDenied, leftToApply } from './not-permitted.ts';
import { checkAssessments, warnOfHiddenTeams } from './organization-facts.ts';
import { coversAll, type PlanRequest } from './plan-request.ts';
import { checkIds, idsToCheck, listedObjects } from './unknown-ids.ts';

/** What a plan was made from, for the checks of what it does. */
export interface CheckedPlan {
  readonly configuration: Configuration;
  readonly live: Live;
  readonly difference: Pick<Difference, 'changes' | 'after'>;
  readonly plan: Plan;
  readonly source: LiveSource;
  readonly query: LiveQuery;
  /** The projects whose access was read for the comparison. */
  readonly projects: readonly string[];
  readonly request: PlanRequest & { readonly purpose: PlanPurpose };
  /** The limits on the command line. */
  readonly overrides: LimitOverrides;
}

/** Checks of a plan that changes something: calls that the service will refuse, guards and limits. */
export async function checkPlan(checked: CheckedPlan): Promise<Diagnostic[]> {
  const { configuration, live, difference, plan, source, request, overrides } = checked;
  const unsendable = await checkCalls(checked);
  const prunes = configuration.prune.teamAccess && live.projects.length > 0 && live.dialect === 'terraform';
  const effect = 'prune.team-access does not remove their access';
  const noted = [
    ...(prunes ? await warnOfHiddenTeams(effect, { configuration, source }) : []),
    ...(await checkAssessments(difference.changes, { configuration, source })),
  ];
  const isWhole = coversAll({ ...request.selection, purpose: request.purpose });
  const guarded = await checkGuards({ configuration, live, difference, source, isWhole });
  const known = knownCount(configuration, live);
  const counted = needsCount(plan, configuration.limits, known, overrides)
    ? await wholeCount(checked)
    : known;
  return [
    ...noted,
    ...unsendable,
    ...guarded,
    ...checkLimits(plan, configuration.limits, counted, overrides),
  ];
}

/**
 * Checks `guards.keep-admin` and `guards.keep-self` on the state after a plan. Grants of projects without declared access
 * are read for it, and organization-wide permissions only where the grants are not enough.
 */
export async function checkGuards(input: GuardInput): Promise<Diagnostic[]> {
  const { keepAdmin = [] } = input.configuration.guards;
  const checks = [...keepAdmin.map((guard) => checkAdmins(guard, input)), checkSelf(input)];
  return (await Promise.all(checks)).flat();
}

/** Finds what the service will refuse before the first write: ids of nothing, and actions that the token may not do. */
async function checkCalls({
  configuration,
  live: whole,
  difference: { changes },
  plan,
  source,
  query: { bindings = false },
  projects,
  request: { purpose },
}: CheckedPlan): Promise<Diagnostic[]> {
  if (changes.length === 0) return [];
  const { organization } = configuration.desired;
  const live = { ...whole, projects };
  // An undo has its ids from the service.
  const used = purpose === 'undo' ? [] : idsToCheck(changes, live);
  const unknown =
    purpose === 'undo' ? [] : await checkIds(changes, live, { configuration, source, bindings });
  const isListed = configuration.known?.has('projects') || used.some(({ kind }) => kind === 'projects');
  const listed = isListed ? await listedObjects(source, organization, 'projects', bindings) : undefined;
  const input = { configuration, live, changes, planned: plan.changes, listed: listed ?? [], source };
  const denied = await checkDenied(input);
  return [...unknown, ...(purpose === 'review' ? leftToApply(denied) : denied)];
}

/** Grants that were read only for the effects of moves do not count. */
function knownCount(
  { scope, desired, grantProjects }: Pick<Configuration, 'scope' | 'desired' | 'grantProjects'>,
  live: Live,
): LiveCount {
  const grants = resourcesOf(live.state.resources.values(), 'team-access').filter(({ attributes }) =>
    grantProjects.has(attributes.project),
  ).length;
  const managed = new Set(resourcesOf(desired.resources.values(), 'project').map(({ id }) => id));
  const projects = resourcesOf(live.state.resources.values(), 'project').filter(({ id }) => managed.has(id));
  return { workspaces: countKnown(live, scope), grants, projects: projects.length };
}

/** All objects that the limits count, even if `only` excludes them from the run. */
async function wholeCount(checked: CheckedPlan): Promise<LiveCount> {
  const { live, source, query, request } = checked;
  const configuration = await resolveNames(checked.configuration, {
    ...request,
    source,
    also: ['grant-projects'],
  });
  const { scope, desired, grantProjects } = configuration;
  const known = knownCount(configuration, live);
  const unread = [...grantProjects.keys()].filter(
    (project) => !query.projects.includes(project) && !isUncreatedProject(project),
  );
  const [workspaces, ...grants] = await Promise.all([
    countAll(source, desired.organization, scope, live),
    ...unread.map((project) => source.countGrants(project)),
  ]);
  return { ...known, workspaces, grants: grants.reduce((sum, count) => sum + count, known.grants) };
}

async function countAll(
  source: LiveSource,
  organization: string,
  scope: LiveScope | undefined,
  live: Live,
): Promise<number> {
  if (scope === undefined && live.workspaceTotal !== undefined) return live.workspaceTotal;
  if (live.whole || (scope && live.scopeWhole)) return countKnown(live, scope);
  return source.countWorkspaces(organization, scope);
}
